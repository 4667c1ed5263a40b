import type { Item } from '../../api/objects.ts'
import { termOf } from '../../api/terms.ts'

export const fieldTypes = ['string', 'integer', 'float', 'boolean', 'list', 'any'] as const
export type FieldType = (typeof fieldTypes)[number]

export const elementTypes = ['any', 'string', 'integer', 'boolean', 'float'] as const

export type RuleName =
  | 'min_length'
  | 'max_length'
  | 'min_value'
  | 'max_value'
  | 'regex'
  | 'unique'
  | 'unique_case_insensitivity'
  | 'allowed_type'
  | 'allow_null_values'
  | 'immutable'

/** How a rule is entered. */
export type RuleKind = 'number' | 'text' | 'flag' | 'element'

export const kindOfRule = (rule: RuleName): RuleKind =>
  rule === 'regex'
    ? 'text'
    : rule === 'allowed_type'
      ? 'element'
      : /^m(in|ax)_/.test(rule)
        ? 'number'
        : 'flag'

/** They cannot be changed once the field is there. */
export const fixedRules: readonly RuleName[] = ['unique_case_insensitivity', 'allowed_type']

const rulesOfTypes: Record<FieldType, readonly RuleName[]> = {
  string: ['min_length', 'max_length', 'regex', 'unique', 'unique_case_insensitivity'],
  integer: ['min_value', 'max_value'],
  float: ['min_value', 'max_value'],
  boolean: [],
  list: ['allowed_type', 'min_length', 'max_length'],
  any: [],
}

export const rulesOf = (type: FieldType): readonly RuleName[] => [
  ...rulesOfTypes[type],
  'allow_null_values',
  'immutable',
]

export type Rules = Readonly<Partial<Record<RuleName, unknown>>>

/** A field as somebody designs it. */
export interface Design {
  readonly name: string
  readonly slug: string
  readonly type: FieldType
  readonly rules: Rules
}

export const noDesign: Design = { name: '', slug: '', type: 'string', rules: { allow_null_values: true } }

export const typeOf = (item: Item): FieldType => fieldTypes.find((one) => one === item.field_type) ?? 'any'

export function designOf(item: Item): Design {
  const type = typeOf(item)
  const { [type]: rules = {} } = (item.validation ?? {}) as Partial<Record<FieldType, Rules>>
  return { name: String(item.name), slug: String(item.slug), type, rules }
}

/** The rules that say something. Empty ones and those of the other types are left out. */
export const setRules = ({ type, rules }: Design): readonly RuleName[] =>
  rulesOf(type).filter((rule) => {
    const value = rules[rule]
    if (rule === 'allow_null_values') return value === false
    return value !== undefined && value !== null && value !== '' && value !== false && value !== 'no'
  })

/** The body of a new field, or of what is other than before, so that what somebody else changes meanwhile stays. */
export function fieldBody({ name, slug, type, rules }: Design, before: Design | undefined): unknown {
  const sent = rulesOf(type).filter((rule) => !before || rules[rule] !== before.rules[rule])
  const validation = Object.fromEntries(sent.map((rule) => [rule, rules[rule] ?? defaultOf(rule)]))
  return {
    data: {
      ...{ type: 'custom_field', name, slug },
      ...(!before && { field_type: type }),
      ...(sent.length > 0 && { validation: { [type]: validation } }),
    },
  }
}

const defaultOf = (rule: RuleName): unknown =>
  ({ allow_null_values: true, immutable: false, unique: 'no', unique_case_insensitivity: false })[
    rule as string
  ] ?? (rule === 'allowed_type' ? 'any' : null)

/** How the entries that break a rule are counted. */
export interface Question {
  readonly rule: RuleName
  /** The filter that finds those which break it, or all others. Without one the API cannot be asked. */
  readonly breaking?: string
  readonly keeping?: string
  /** Nothing or everything breaks it, so there is nothing to ask. */
  readonly known?: 'none' | 'all'
}

/** What to ask before a field gets rules: only what is new can break. */
export function questionsOf(design: Design, before: Design | undefined): readonly Question[] {
  const { type, rules } = design
  return setRules(design)
    .filter((rule) => rule !== 'immutable' && !fixedRules.includes(rule))
    .filter((rule) => before?.rules[rule] !== rules[rule])
    .map((rule) => ({
      rule,
      ...(before ? askingOf(rule, before.slug, type, rules[rule]) : ofNew(rule, type)),
    }))
}

/** Entries that are there have no value of a new field. */
const ofNew = (rule: RuleName, type: FieldType): Omit<Question, 'rule'> => ({
  known: rule === 'allow_null_values' && type !== 'list' ? 'all' : 'none',
})

function askingOf(rule: RuleName, slug: string, type: FieldType, value: unknown): Omit<Question, 'rule'> {
  const limit = String(value)
  if (rule === 'min_value') return { breaking: termOf('lt', slug, limit) }
  if (rule === 'max_value') return { breaking: termOf('gt', slug, limit) }
  if (type === 'list' && rule === 'min_length') return { breaking: termOf('lt', `${slug}.length`, limit) }
  if (type === 'list' && rule === 'max_length') return { breaking: termOf('gt', `${slug}.length`, limit) }
  if (rule === 'allow_null_values') {
    const keeping = anyValue(slug, type)
    return keeping === undefined ? {} : { keeping }
  }
  return {}
}

/** `is_null` does not find entries that are older than the field, so those that have a value are counted. */
function anyValue(slug: string, type: FieldType): string | undefined {
  if (type === 'string') return termOf('like', slug, '*')
  if (type === 'integer') return termOf('ge', slug, String(Number.MIN_SAFE_INTEGER))
  if (type === 'float') return termOf('ge', slug, String(-Number.MAX_VALUE))
  return type === 'boolean' ? termOf('in', slug, 'true,false') : undefined
}

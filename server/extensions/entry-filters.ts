import { Problem } from '../kernel/errors.ts'
import type { Op } from '../kernel/shape/list-query.ts'
import type { FilterRule } from '../kernel/shape/model.ts'
import type { DefinedField } from './definition.ts'
import { matchingNumber, matchingText } from './entry-value-conditions.ts'
import type { ElementType } from './field-rules.ts'

/** The filters of a list of entries, by field. Every term uses the index table `entry_values`. */
export function filtersOf(fields: readonly DefinedField[]): Record<string, FilterRule> {
  const rules: [string, FilterRule][] = []
  for (const field of fields) {
    if (field.type === 'list') rules.push(...listRules(field))
  }
  // A field whose slug looks like a part of a list takes precedence.
  for (const field of fields) {
    const rule = ruleOf(field)
    if (rule) rules.push([field.slug, rule])
  }
  return Object.fromEntries(rules)
}

type Bind = (value: unknown) => string

/** SQL for the entries with an index row of the field that meets the condition. `$1` is the store. */
const entriesWhere = ({ id }: DefinedField, bind: Bind, condition: string): string =>
  `entries.id IN (SELECT v.entry_id FROM entry_values v WHERE v.store_id = $1 ` +
  `AND v.field_id = ${bind(id)}::uuid AND ${condition})`

const isNull = 'v.text_head IS NULL AND v.number_value IS NULL'

const relations = ['lt', 'le', 'gt', 'ge'] as const
const operators = {
  string: ['lt', 'le', 'eq', 'gt', 'ge', 'is_null', 'like'],
  integer: ['lt', 'le', 'eq', 'gt', 'ge', 'is_null'],
  float: ['lt', 'le', 'gt', 'ge', 'in', 'is_null'],
  boolean: ['eq', 'is_null'],
} as const satisfies Record<string, readonly Op[]>

function ruleOf(field: DefinedField): FilterRule | undefined {
  const { type, slug } = field
  if (type === 'any') return undefined
  if (type === 'list') return containsRule(field)
  return {
    ops: operators[type],
    type: 'text',
    where: (op, values, bind) =>
      entriesWhere(
        field,
        bind,
        op === 'is_null' ? `v.element = -3 AND ${isNull}` : matching(type, slug, op, values, bind),
      ),
  }
}

/** The condition of a scalar. Refuses values that are not of its type. */
function matching(type: ElementType, slug: string, op: Op, values: readonly string[], bind: Bind): string {
  if (type === 'string' || type === 'any') return matchingText(op, values, bind)
  const numbers = values.map((value) => {
    const number = readNumber(type, value)
    if (number === undefined) {
      const detail = `Invalid filter: [${slug}] must be ${expectedTypes[type]}, not [${value}]`
      throw new Problem('bad_filter', detail, { source: 'filter' })
    }
    return number
  })
  return matchingNumber(op, numbers, bind)
}

const expectedTypes = { integer: 'a whole number', float: 'a number', boolean: 'true or false' } as const

/** The number in the index; undefined if the text is not a value of the type. */
function readNumber(type: 'integer' | 'float' | 'boolean', text: string): number | undefined {
  if (type === 'boolean') return text === 'true' ? 1 : text === 'false' ? 0 : undefined
  const form = type === 'integer' ? /^[+-]?\d+$/ : /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i
  const number = form.test(text.trim()) ? Number(text) : Number.NaN
  return Number.isFinite(number) ? number : undefined
}

function containsRule(field: DefinedField): FilterRule {
  const type = field.rules.allowed_type ?? 'any'
  // Not for untyped lists: the index does not distinguish "1" and 1.
  const ops = ['contains', 'contains_any', ...(type === 'any' ? [] : ['contains_all']), 'is_null'] as Op[]
  const holding = (values: readonly string[], bind: Bind) =>
    entriesWhere(field, bind, `v.element >= 0 AND ${matching(type, field.slug, 'in', values, bind)}`)
  return {
    ops,
    type: 'text',
    where: (op, values, bind) => {
      if (op === 'is_null') return entriesWhere(field, bind, `v.element = -3 AND ${isNull}`)
      if (op === 'contains_all') return `(${values.map((value) => holding([value], bind)).join(' AND ')})`
      // A list has no values of another type, so they cannot match.
      const possible = values.filter(
        (value) => type === 'any' || type === 'string' || readNumber(type, value) !== undefined,
      )
      return possible.length > 0 ? holding(possible, bind) : 'false'
    },
  }
}

/** `field[3]` and `field.length`. */
function listRules(field: DefinedField): [string, FilterRule][] {
  const { slug } = field
  const type = field.rules.allowed_type ?? 'any'
  const ops: Op[] = ['eq', 'is_null']
  if (type === 'string' || type === 'any') ops.push('like')
  if (type !== 'any') ops.push(...relations)
  const element: FilterRule = {
    ops,
    type: 'text',
    part: /^\d{1,3}$/,
    where: (op, values, bind, place) =>
      entriesWhere(
        field,
        bind,
        `v.element = ${bind(place)}::smallint AND ` +
          (op === 'is_null' ? isNull : matching(type, `${slug}[${place}]`, op, values, bind)),
      ),
  }
  const length: FilterRule = {
    ops: ['eq', ...relations],
    type: 'text',
    where: (op, values, bind) =>
      entriesWhere(
        field,
        bind,
        `v.element = -1 AND ${matching('integer', `${slug}.length`, op, values, bind)}`,
      ),
  }
  return [
    [`${slug}[]`, element],
    [`${slug}.length`, length],
  ]
}

import { RE2JS } from 're2js'
import { invalidField } from '../../kernel/errors.ts'
import type { JsonSchema } from '../../kernel/shape/fields.ts'
import { estimateSteps } from './regex-cost.ts'

export const fieldTypes = ['string', 'integer', 'boolean', 'float', 'any', 'list'] as const
export type CustomFieldType = (typeof fieldTypes)[number]

const elementTypes = ['any', 'string', 'integer', 'boolean', 'float'] as const
export type ElementType = (typeof elementTypes)[number]

/** The rules for the values of a field, besides the type. Each type has only some of the keys. */
export interface CustomFieldRules {
  readonly allow_null_values: boolean
  readonly immutable: boolean
  readonly min_length?: number | null
  readonly max_length?: number | null
  readonly regex?: string | null
  readonly unique?: 'yes' | 'no'
  readonly unique_case_insensitivity?: boolean
  readonly min_value?: number | null
  readonly max_value?: number | null
  readonly allowed_type?: ElementType
}

/** `{ string: { max_length: 10 } }`: the rules under the name of the field's type. */
export type Validation = Partial<Record<CustomFieldType, Partial<CustomFieldRules>>>

export const limits = {
  textLengthMax: 65_535,
  elementsMax: 1000,
  regexLengthMax: 1024,
  regexStepsMax: 5000,
  /** Matching costs the steps of the pattern times the length of the text. This much takes 60 ms at worst. */
  regexWorkMax: 1_000_000,
} as const

interface RuleKey {
  readonly schema: JsonSchema
  readonly default: unknown
  /** Whether the rule cannot be changed after the field is created. */
  readonly fixed?: boolean
}

const upTo = (maximum: number): RuleKey => ({
  schema: { type: ['integer', 'null'], minimum: 0, maximum },
  default: null,
})
const whole: RuleKey = {
  schema: {
    type: ['integer', 'null'],
    minimum: Number.MIN_SAFE_INTEGER,
    maximum: Number.MAX_SAFE_INTEGER,
  },
  default: null,
}
const decimal: RuleKey = { schema: { type: ['number', 'null'] }, default: null }
const onAny = {
  allow_null_values: { schema: { type: ['boolean', 'null'] }, default: true },
  immutable: { schema: { type: ['boolean', 'null'] }, default: false },
} as const satisfies Record<string, RuleKey>

/** The rules that a field of each type can have, and their defaults. */
const keys: Record<CustomFieldType, Readonly<Record<string, RuleKey>>> = {
  string: {
    min_length: upTo(limits.textLengthMax),
    max_length: upTo(limits.textLengthMax),
    regex: { schema: { type: ['string', 'null'], maxLength: limits.regexLengthMax }, default: null },
    ...onAny,
    unique: { schema: { type: 'string', enum: ['yes', 'no'] }, default: 'no' },
    unique_case_insensitivity: { schema: { type: 'boolean' }, default: false, fixed: true },
  },
  integer: { min_value: whole, max_value: whole, ...onAny },
  float: { min_value: decimal, max_value: decimal, ...onAny },
  boolean: onAny,
  any: onAny,
  list: {
    min_length: upTo(limits.elementsMax),
    max_length: upTo(limits.elementsMax),
    ...onAny,
    allowed_type: { schema: { type: 'string', enum: elementTypes }, default: 'any', fixed: true },
  },
}

/** The schema of `validation` in a request. */
export const validationSchema: JsonSchema = {
  type: 'object',
  properties: Object.fromEntries(
    fieldTypes.map((type) => [
      type,
      {
        type: 'object',
        properties: Object.fromEntries(Object.entries(keys[type]).map(([name, key]) => [name, key.schema])),
      },
    ]),
  ),
}

/** Merges the rules of a request with the previous ones or the defaults. Refuses contradictions. */
export function completeRules(
  type: CustomFieldType,
  validation: Validation,
  before: Validation | undefined,
): CustomFieldRules {
  const path = `data.validation.${type}`
  const strayType = Object.keys(validation).find((name) => name !== type)
  if (strayType)
    throw invalidField('data.validation', `must have only ${type}, the type of the field, not ${strayType}`)
  const allowedRules = keys[type]
  const previousRules = before?.[type] as Readonly<Record<string, unknown>> | undefined
  const sent = (validation[type] ?? {}) as Readonly<Record<string, unknown>>
  const unknown = Object.keys(sent).find((name) => !Object.hasOwn(allowedRules, name))
  if (unknown) throw invalidField(path, `accepts ${Object.keys(allowedRules).join(', ')}, not ${unknown}`)
  const rules = Object.fromEntries(
    Object.entries(allowedRules).map(([name, key]) => {
      const value = Object.hasOwn(sent, name)
        ? (sent[name] ?? key.default)
        : (previousRules?.[name] ?? key.default)
      if (key.fixed && previousRules && value !== previousRules[name]) {
        throw invalidField(`${path}.${name}`, 'cannot be changed after the field is created')
      }
      return [name, value]
    }),
  ) as unknown as CustomFieldRules
  mustAgree(type, rules, path)
  return rules
}

function mustAgree(type: CustomFieldType, rules: CustomFieldRules, path: string): void {
  const { min_length, max_length, min_value, max_value, regex } = rules
  if (min_value != null && max_value != null && min_value >= max_value) {
    throw invalidField(`${path}.min_value`, `must be less than max_value, ${max_value}`)
  }
  if (min_length != null && max_length != null) {
    const tooLong = type === 'list' ? min_length > max_length : min_length >= max_length
    if (tooLong) {
      throw invalidField(
        `${path}.min_length`,
        `must be ${type === 'list' ? 'at most' : 'less than'} max_length, ${max_length}`,
      )
    }
  }
  if (type === 'string' && max_length === 0)
    throw invalidField(`${path}.max_length`, 'must be from 1 to 65535')
  if (rules.unique_case_insensitivity && rules.unique !== 'yes') {
    throw invalidField(`${path}.unique_case_insensitivity`, 'must be false unless unique is yes')
  }
  if (regex != null) compileRegex(regex, `${path}.regex`)
}

/** Compiles a regular expression with RE2, whose time is linear in the text and in the steps of the pattern. */
export function compileRegex(regex: string, path: string): RE2JS {
  let compiled: RE2JS
  // Compiling takes time too, so a pattern that is expected to be far too long is not compiled. The estimate may be
  // several times too high.
  mustBeSimple(estimateSteps(regex) / 4, path)
  try {
    compiled = RE2JS.compile(regex)
  } catch (error) {
    throw invalidField(path, `must be a regular expression (RE2): ${(error as Error).message}`)
  }
  mustBeSimple(compiled.programSize(), path)
  return compiled
}

function mustBeSimple(steps: number, path: string): void {
  if (steps <= limits.regexStepsMax) return
  throw invalidField(
    path,
    `must be simpler: it takes ${Math.ceil(steps)} steps, and at most ${limits.regexStepsMax} are accepted`,
  )
}

/** The JSON Schema of the values of a field, with its name and its description. */
export function valueSchema(
  type: CustomFieldType,
  rules: CustomFieldRules,
  { name, description }: { readonly name: string; readonly description: string },
): JsonSchema {
  const about = { title: name, ...(description && { description }) }
  const none = type === 'list' || rules.allow_null_values
  const typed = (name: string) => ({ type: none ? [name, 'null'] : name, ...about })
  const withoutNulls = (facts: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(Object.entries(facts).filter(([, value]) => value != null))
  switch (type) {
    case 'string':
      return {
        ...typed('string'),
        ...withoutNulls({ minLength: rules.min_length, pattern: rules.regex }),
        maxLength: rules.max_length ?? limits.textLengthMax,
      }
    case 'integer':
      return {
        ...typed('integer'),
        minimum: rules.min_value ?? Number.MIN_SAFE_INTEGER,
        maximum: rules.max_value ?? Number.MAX_SAFE_INTEGER,
      }
    case 'float':
      return { ...typed('number'), ...withoutNulls({ minimum: rules.min_value, maximum: rules.max_value }) }
    case 'boolean':
      return typed('boolean')
    case 'list':
      return {
        ...typed('array'),
        ...withoutNulls({ minItems: rules.min_length }),
        maxItems: rules.max_length ?? limits.elementsMax,
        items: { type: elementSchemaTypes(rules.allowed_type ?? 'any', rules.allow_null_values) },
      }
    case 'any':
      return about
  }
}

function elementSchemaTypes(type: ElementType, none: boolean): readonly string[] {
  const named = type === 'any' ? ['string', 'number', 'boolean'] : [type === 'float' ? 'number' : type]
  return none ? [...named, 'null'] : named
}

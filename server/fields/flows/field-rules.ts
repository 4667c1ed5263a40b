import { isDay } from '../../kernel/body/days.ts'
import type { JsonSchema } from '../../kernel/shape/fields.ts'

export const fieldTypes = ['string', 'integer', 'boolean', 'float', 'date', 'relationship'] as const
export type FlowFieldType = (typeof fieldTypes)[number]

/** A rule as clients write it. Which rules and options exist depends on the type of the field. */
export interface FieldRule {
  readonly type: string
  readonly options?: unknown
  readonly to?: unknown
}

export const ruleTypes = ['between', 'email', 'enum', 'one-to-many', 'one-to-one', 'slug', 'uuid'] as const

/** The rules that each type can have. */
const allowedRules: Readonly<Record<FlowFieldType, readonly string[]>> = {
  string: ['email', 'enum', 'slug', 'uuid'],
  integer: ['between', 'enum'],
  float: ['between', 'enum'],
  boolean: [],
  date: ['between', 'enum'],
  relationship: ['one-to-many', 'one-to-one'],
}

const schemas: Readonly<Record<Exclude<FlowFieldType, 'relationship'>, JsonSchema>> = {
  string: { type: 'string', maxLength: 65_535 },
  integer: { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
  float: { type: 'number' },
  boolean: { type: 'boolean' },
  date: { type: 'string', format: 'day' },
}

const texts: Readonly<Record<string, JsonSchema>> = {
  email: { format: 'email' },
  slug: { pattern: '^[A-Za-z0-9_-]+$' },
  // Not as a format: values are stored as they were sent.
  uuid: { pattern: '^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$' },
}

/** An error in the definition of a field: where it is, and what is accepted. */
export interface RuleFault {
  readonly at: string
  readonly must: string
}

export type FieldValueType = Exclude<FlowFieldType, 'relationship'>

/** The type of a schema that `valueSchema` has created. */
export function typeOfSchema({ type, format }: JsonSchema): FieldValueType {
  if (format === 'day') return 'date'
  const [name] = [type].flat()
  return name === 'number' ? 'float' : (name as Exclude<FieldValueType, 'date' | 'float'>)
}

/** Finds the first error in the rules of a field. */
export function findFault(type: FlowFieldType, rules: readonly FieldRule[]): RuleFault | undefined {
  const at = 'validation_rules'
  const strayRule = rules.find((rule) => !allowedRules[type].includes(rule.type))
  if (strayRule) {
    const those = allowedRules[type].join(', ')
    return { at, must: those ? `have only rules of the types ${those}, not ${strayRule.type},` : 'be empty' }
  }
  if (type === 'relationship') {
    const [rule, another] = rules
    return rule && !another && typeof rule.to === 'string' && rule.to !== ''
      ? undefined
      : { at, must: 'be a single rule, one-to-one or one-to-many, with the linked resource in `to`,' }
  }
  for (const [i, rule] of rules.entries()) {
    const must = findRequirement(type, rule)
    if (must) return { at: `${at}.${i}.options`, must }
  }
  return undefined
}

function findRequirement(type: FieldValueType, rule: FieldRule): string | undefined {
  if (rule.type === 'enum') {
    const { options } = rule
    const fits = Array.isArray(options) && options.length > 0 && options.length <= 1000
    return fits && options.every((one) => isOfType(type, one))
      ? undefined
      : 'be a list of 1 to 1000 values of that type'
  }
  if (rule.type === 'between') {
    const [from, to] = endsOf(type, rule)
    const fits = isOfType(type, from) && isOfType(type, to)
    return fits ? undefined : 'have from and to, both values of that type,'
  }
  return undefined
}

function isOfType(type: FieldValueType, value: unknown): boolean {
  if (type === 'integer') return Number.isSafeInteger(value)
  if (type === 'float') return Number.isFinite(value)
  if (type === 'date') return typeof value === 'string' && isDay(value)
  return type === 'string' && typeof value === 'string'
}

/** The ends may be sent as text. */
function endsOf(type: FieldValueType, { options }: FieldRule): [from: unknown, to: unknown] {
  const { from, to } = (options ?? {}) as { from?: unknown; to?: unknown }
  return [from, to].map((end) => (type === 'date' ? end : asNumber(end))) as [unknown, unknown]
}

const asNumber = (value: unknown): unknown =>
  typeof value === 'string' && value.trim() !== '' ? Number(value) : value

/** The schema of the values of a field, with all rules. */
export function valueSchema(
  type: FieldValueType,
  rules: readonly FieldRule[],
  nullable: boolean,
): JsonSchema {
  const base = schemas[type]
  const parts = rules.map((rule) => ruleSchema(type, rule, nullable))
  const whole = nullable ? { ...base, type: [base.type, 'null'] } : base
  if (parts.length === 0) return whole
  return parts.length === 1 ? { ...whole, ...parts[0] } : { ...whole, allOf: parts }
}

function ruleSchema(type: FieldValueType, rule: FieldRule, nullable: boolean): JsonSchema {
  if (rule.type === 'enum') {
    const options = [...new Set(rule.options as readonly unknown[])]
    return { enum: nullable ? [...options, null] : options }
  }
  if (rule.type === 'between') {
    const [from, to] = endsOf(type, rule)
    return type === 'date'
      ? { format: 'day', formatMinimum: from, formatMaximum: to }
      : { minimum: from, maximum: to }
  }
  return texts[rule.type] ?? {}
}

/**
 * Converts a default to the type, if possible: clients send 0 for a string and "1" for an integer. Other values stay
 * unchanged.
 */
export function coerceDefault(type: FlowFieldType, value: unknown): unknown {
  if (value === null || value === undefined || type === 'relationship') return null
  if (type === 'integer' || type === 'float') {
    const number = asNumber(value)
    return Number.isFinite(number) ? number : value
  }
  if (type === 'boolean')
    return value === 'true' || value === 1 ? true : value === 'false' || value === 0 ? false : value
  return String(value)
}

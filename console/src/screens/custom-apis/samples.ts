import { type Design, type FieldType, fieldTypes, type RuleName, type Rules } from './field-rules.ts'

/** Why a value is not accepted: it is no value of the type, or it breaks a rule. */
export type SampleFault = 'type' | RuleName

/** Whether a text matches the regular expression of a field, as the server would find. */
export type Matches = (text: string) => boolean

/** What somebody types as a value: texts as they are, everything else as JSON. */
export function sampleOf(type: FieldType, text: string): unknown {
  if (text === 'null' || text === '') return null
  if (type === 'string') return text
  try {
    return JSON.parse(text)
  } catch {
    return type === 'any' ? text : undefined
  }
}

/** The first rule of a field that a value breaks. */
export function faultOf(
  { type, rules }: Design,
  value: unknown,
  matches: Matches | undefined,
): SampleFault | undefined {
  if (value === null)
    return type === 'list' || rules.allow_null_values !== false ? undefined : 'allow_null_values'
  if (!isOf(type, value)) return 'type'
  if (typeof value === 'number') return outOf(rules, value, 'min_value', 'max_value')
  if (Array.isArray(value)) {
    const isElement = (one: unknown) =>
      one === null ? rules.allow_null_values !== false : isOf(elementOf(rules), one)
    return (
      outOf(rules, value.length, 'min_length', 'max_length') ??
      (value.every(isElement) ? undefined : 'allowed_type')
    )
  }
  if (type !== 'string' || typeof value !== 'string') return undefined
  // In characters, as the server counts.
  const fault = outOf(rules, [...value].length, 'min_length', 'max_length')
  return fault ?? (matches && !matches(value) ? 'regex' : undefined)
}

const elementOf = ({ allowed_type }: Rules): FieldType =>
  fieldTypes.find((one) => one === allowed_type) ?? 'any'

function outOf<Low extends RuleName, High extends RuleName>(
  rules: Rules,
  n: number,
  low: Low,
  high: High,
): Low | High | undefined {
  const [least, most] = [rules[low], rules[high]]
  if (typeof least === 'number' && n < least) return low
  return typeof most === 'number' && n > most ? high : undefined
}

function isOf(type: FieldType, value: unknown): boolean {
  switch (type) {
    case 'string':
    case 'boolean':
      return typeof value === type
    case 'integer':
      return Number.isSafeInteger(value)
    case 'float':
      return Number.isFinite(value)
    case 'list':
      return Array.isArray(value)
    case 'any':
      return value !== undefined
  }
}

/** A value that keeps the rules of a field, except its regular expression; another one for each `n`. */
export function valueFor({ type, rules }: Design, n: number): unknown {
  const least = Number(rules.min_length ?? 0)
  const most = Number(rules.max_length ?? Number.POSITIVE_INFINITY)
  switch (type) {
    case 'string':
      return `sample ${n}`.padEnd(least, '.').slice(-most)
    case 'integer':
    case 'float': {
      const from = Number(rules.min_value ?? 0)
      return Math.min(from + n, Number(rules.max_value ?? Number.POSITIVE_INFINITY))
    }
    case 'boolean':
      return n % 2 === 0
    case 'list': {
      const element: Design = { name: '', slug: '', type: elementOf(rules), rules: {} }
      return Array.from({ length: Math.min(Math.max(least, 1), most) }, () => valueFor(element, n))
    }
    case 'any':
      return `sample ${n}`
  }
}

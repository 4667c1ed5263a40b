import { writable } from '../../server/kernel/body/input.ts'
import type { Field, Fields, JsonSchema } from '../../server/kernel/shape/fields.ts'
import { textsMatching } from './matching-texts.ts'

/** The values that a field may have: their number, and the value at a place. */
interface Choice {
  readonly count: number
  at(place: number): unknown
}

// A random start, so that a second run on the same server makes other names. Answers that are recorded need the same.
const start = process.env.SUTLER_ANSWERS ? 1_000_000 : Math.floor(Math.random() * 1e9)
const placesOf = new Map<string, number>()

/**
 * Takes the next places of the fields with this name, and returns the first. Each name has its own: a short text, such
 * as the code of a currency, comes again only when all others have been used.
 */
function takePlaces(name: string, count: number): number {
  const first = placesOf.get(name) ?? start
  placesOf.set(name, first + count)
  return first
}

/** A value that the field's schema accepts. Texts and numbers without a default differ each time. */
export function sampleValue(name: string, field: Field): unknown {
  return valuesOfField(name, field).at(takePlaces(name, 1))
}

/** Up to `count` different values of a field: fewer when its schema has fewer than twice as many. */
export function sampleValues(name: string, field: Field, count: number): unknown[] {
  const values = valuesOfField(name, field)
  // Some may be taken, so they begin at a random place.
  const length = Math.min(count, Math.floor(values.count / 2))
  const from = takePlaces(name, length)
  return Array.from({ length }, (_, i) => values.at(from + i))
}

/** Values of all fields except references, as a client may send them. */
export const sampleValuesOf = (fields: Fields): Record<string, unknown> =>
  Object.fromEntries(
    writable(fields)
      .filter(([, { options }]) => !options.refersTo)
      .map(([name, field]) => [name, sampleValue(name, field)]),
  )

/** A value that the field's schema accepts, and that differs from the present one. */
export function otherValue(name: string, { schema, members, options }: Field, present: unknown): unknown {
  const [[first, member] = []] = Object.entries(members ?? {})
  if (first && member) {
    const values = present as Readonly<Record<string, unknown>> | undefined
    return { ...values, [first]: otherValue(first, member, values?.[first]) }
  }
  const { enum: choices, minimum, maximum } = schema as { [keyword: string]: never }
  if (choices) return (choices as unknown[]).find((choice) => choice !== present)
  if (typeOf(schema) === 'boolean') return !(present ?? options.default)
  if (typeof present === 'number')
    return present < (maximum ?? Number.MAX_SAFE_INTEGER) ? present + 1 : minimum
  return valuesOf(name, schema).at(takePlaces(name, 1))
}

function valuesOfField(name: string, { schema, options }: Field): Choice {
  const isText = typeOf(schema) === 'string' && !schema.enum
  // An empty value tests less than another.
  const { default: fallback } = options
  const value = typeof fallback === 'object' && !Object.keys(fallback ?? {}).length ? undefined : fallback
  return value === undefined || isText ? valuesOf(name, schema) : only(value)
}

const typeOf = (schema: JsonSchema) => [schema.type].flat()[0]

const only = (value: unknown): Choice => ({ count: 1, at: () => value })

/** The simplest values that a schema describes. */
function valuesOf(name: string, schema: JsonSchema): Choice {
  if (schema.const !== undefined) return only(schema.const)
  if (Array.isArray(schema.enum)) return only(schema.enum[0])
  switch (typeOf(schema)) {
    case 'string':
      return textsOf(name, schema)
    case 'integer':
    case 'number':
      return numbersOf(schema)
    case 'boolean':
      return only(true)
    case 'array':
      return listsOf(name, schema)
    case 'object':
      return objectsOf(schema)
    default:
      return only(null)
  }
}

function numbersOf({ minimum, maximum }: { readonly minimum?: number; readonly maximum?: number }): Choice {
  const [low, high] = [minimum ?? 1, maximum ?? Number.MAX_SAFE_INTEGER]
  // The smallest that counts something, where there is one.
  const from = Math.ceil(low < 1 && high >= 1 ? 1 : low)
  const count = Math.min(10_000, Math.floor(high) - from + 1)
  return { count, at: (at) => from + (at % count) }
}

function listsOf(name: string, schema: JsonSchema): Choice {
  const { minItems = 1, maxItems = 1, items = {} } = schema as { [keyword: string]: never }
  const item = valuesOf(name, items)
  const length = Math.min(Math.max(1, minItems), maxItems)
  return { count: item.count, at: (at) => Array.from({ length }, (_, i) => item.at(at + i)) }
}

function objectsOf(schema: JsonSchema): Choice {
  const {
    properties = {},
    required = [],
    additionalProperties,
    propertyNames = {},
  } = schema as {
    properties?: Record<string, JsonSchema>
    required?: readonly string[]
    additionalProperties?: JsonSchema
    propertyNames?: JsonSchema
  }
  const members = required.map((name) => [name, valuesOf(name, properties[name] ?? {})] as const)
  // An empty map tests less than one with a key.
  if (additionalProperties) {
    const key = propertyNames.pattern ? textsOf('key', propertyNames).at(0) : 'key'
    members.push([String(key), valuesOf('key', additionalProperties)])
  }
  return {
    count: Math.max(1, ...members.map(([, { count }]) => count)),
    at: (at) => Object.fromEntries(members.map(([name, values]) => [name, values.at(at)])),
  }
}

const formats: Readonly<Record<string, (place: number) => string>> = {
  email: (at) => `sample-${at}@example.com`,
  uri: (at) => `https://example.com/${at}`,
  uuid: (at) => `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`,
  'date-time': (at) => new Date(Date.UTC(2026, 0, 31) + (at % 86_400_000)).toISOString(),
  day: (at) => new Date(Date.UTC(2026, 0, 31) + (at % 100_000) * 86_400_000).toISOString().slice(0, 10),
  password: (at) => `sample phrase ${at}`,
}

function textsOf(name: string, schema: JsonSchema): Choice {
  const { maxLength: max = 100, minLength: min = 0, pattern, format } = schema as { [keyword: string]: never }
  const ofFormat = formats[format ?? '']
  if (format && !ofFormat) throw new Error(`No text of the format ${format} is made up for ${name}`)
  const pad = '.'.repeat(Math.max(0, min - name.length - 2))
  // The most telling ones that the rest of the schema accepts.
  for (const make of [ofFormat, ...(format ? [] : [(at: number) => `${name}${pad} ${at}`])]) {
    const longest = make?.(1e10) ?? ''
    const fits = longest.length >= min && longest.length <= max && (!pattern || matches(pattern, longest))
    if (make && fits) return { count: Number.MAX_SAFE_INTEGER, at: make }
  }
  return textsMatching(pattern ?? '^[A-Za-z0-9]+$', { min, max })
}

const matches = (pattern: string, text: string) => new RegExp(pattern, 'u').test(text)

import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { RE2JS } from 're2js'
import { missingField, Problem, together } from '../errors.ts'
import { isId } from '../ids.ts'
import type { JsonSchema } from '../shape/fields.ts'
import { compareDays, instantOf, isDay, isInCalendar } from './days.ts'
import { Faults, faultsMax } from './faults.ts'
import { patternWords } from './pattern-words.ts'

/** Checks values from clients against JSON Schemas. Error messages state what is wrong and what is accepted. */

// RE2, because patterns may come from clients: its running time is linear in the length of the input.
const re2 = (pattern: string) => {
  const compiled = RE2JS.compile(pattern)
  // Ajv identifies patterns by their text: without `toString`, the first one would be used for all.
  return { test: (text: string) => compiled.matcher(text).find(), toString: () => pattern }
}
// With `allErrors`, Ajv continues after a fault. The number of faults grows with the value: see `valuesMax`.
const [firstFault, allFaults] = [false, true].map((allErrors) => {
  const ajv = new Ajv2020({
    // A store may name a field `toString`, which every object inherits.
    ownProperties: true,
    // The fields make the schemas, and a contract test checks the API document, which contains them.
    validateSchema: false,
    strictTypes: false,
    allowUnionTypes: true,
    allErrors,
    verbose: true,
    // Optimizing a check takes as long as compiling it, and saves some nanoseconds of a request.
    code: { optimize: false, regExp: Object.assign(re2, { code: 're2' }) },
  })
  addFormats.default(ajv, { formats: ['email', 'uri', 'date-time'], keywords: true })
  // The library's own `date-time` accepts leap seconds, which are no instants here.
  const timestamp = ajv.formats['date-time'] as { readonly validate: (text: string) => boolean }
  const isTimestamp = (text: string) => timestamp.validate(text) && isInCalendar(instantOf(text))
  ajv.addFormat('date-time', { ...timestamp, validate: isTimestamp })
  // The library's own `uuid` accepts `urn:uuid:…`, which PostgreSQL does not read.
  ajv.addFormat('uuid', isId)
  ajv.addFormat('day', { validate: isDay, compare: compareDays })
  // For the API document.
  for (const word of ['checkedByRule', 'refersTo']) ajv.addKeyword(word)
  // Accepts any text: the format only marks secrets.
  ajv.addFormat('password', true)
  return ajv
}) as [Ajv2020, Ajv2020]

/** For a larger value only the first fault is reported: listing all could cost as much as a thousand requests. */
const valuesMax = 5000

/** Throws a Problem that lists the faults of a value. `at` is the position of the value, if it differs per call. */
export type Check = (value: unknown, at?: string) => void

/** Compiles a schema into a check of the value at `path` (`data`). */
export function checker(schema: JsonSchema, path: string): Check {
  const [findFirst, findAll] = [compileOnFirstUse(firstFault, schema), compileOnFirstUse(allFaults, schema)]
  return (value, at = path) => {
    const first = findFirst(value)
    if (!first.length) return
    const errors = hasAtMost(value, valuesMax) ? findAll(value) : first
    throw together(faultsOf(errors, at, schema))
  }
}

/** Runs all checks of a value and throws their faults together. */
export function checkAll(checks: readonly Check[], value: unknown): void {
  const faults = new Faults()
  for (const check of checks) faults.check(() => check(value))
  faults.refuse()
}

/** The same check, with 422 for refused fields. */
export const refuseWith422 =
  (check: Check): Check =>
  (value) => {
    try {
      check(value)
    } catch (fault) {
      throw fault instanceof Problem ? together(fault.all.map(asUnprocessable)) : fault
    }
  }

function asUnprocessable(fault: Problem): Problem {
  if (fault.code !== 'invalid_field') return fault
  const { detail, source } = fault
  return new Problem('unprocessable', detail, source === undefined ? {} : { source })
}

/** Compiles on first use, so that a start compiles nothing. */
function compileOnFirstUse(ajv: Ajv2020, schema: JsonSchema): (value: unknown) => readonly ErrorObject[] {
  let validate: ValidateFunction | undefined
  return (value) => {
    if (!validate) {
      validate = ajv.compile(schema)
      // Ajv keeps every schema, and schemas built at run time come and go.
      ajv.removeSchema(schema)
    }
    return validate(value) ? [] : (validate.errors ?? [])
  }
}

/** Whether a value contains at most this many values, itself included. */
function hasAtMost(value: unknown, max: number): boolean {
  const rest = [value]
  for (let count = 1; rest.length; count++) {
    if (count + rest.length > max + 1) return false
    const next = rest.pop()
    if (typeof next !== 'object' || next === null) continue
    const inside = Object.values(next)
    if (inside.length > max) return false
    rest.push(...inside)
  }
  return true
}

/** The first fault at each position. */
function faultsOf(errors: readonly ErrorObject[], path: string, schema: JsonSchema): readonly Problem[] {
  // A faulty key has an error of its own; this one only repeats that there is one.
  const specific = errors.filter(({ keyword }) => keyword !== 'propertyNames')
  const faults = new Map<string, Problem>()
  for (const error of specific.length ? specific : errors) {
    const place = placeOf(error)
    if (!faults.has(place)) faults.set(place, refusal(error, path, schema))
    if (faults.size === faultsMax) break
  }
  return [...faults.values()]
}

const placeOf = ({ instancePath, params, propertyName }: ErrorObject): string =>
  JSON.stringify([instancePath, params.missingProperty, params.additionalProperty, propertyName])

function refusal(error: ErrorObject, path: string, schema: JsonSchema): Problem {
  const segments = error.instancePath
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
  const at = [path, ...segments].join('.')
  if (error.keyword === 'required') return missingField(`${at}.${error.params.missingProperty}`)
  if (error.keyword === 'additionalProperties') return unknownMember(at, error)
  const subject = error.propertyName === undefined ? at : `a key of ${at}`
  const shown = isSecret(schema, segments) ? '.' : actualValue(error)
  return new Problem('invalid_field', `Validation failed: ${subject} ${expectation(error)}${shown}`, {
    source: at,
  })
}

function unknownMember(at: string, { params, parentSchema }: ErrorObject): Problem {
  const accepted = Object.keys((parentSchema as { properties?: object }).properties ?? {}).join(', ')
  const source = `${at}.${params.additionalProperty}`
  return new Problem('invalid_field', `Validation failed: ${source} is unknown; ${at} accepts ${accepted}.`, {
    source,
  })
}

/** An error message must not repeat a secret. */
function isSecret(schema: JsonSchema, segments: readonly string[]): boolean {
  if (schema.writeOnly) return true
  const [next, ...rest] = segments
  if (next === undefined) return false
  const { properties = {}, items, additionalProperties } = schema as Partial<Record<string, JsonSchema>>
  const inside = Object.hasOwn(properties, next) ? properties[next] : (items ?? additionalProperties)
  return inside !== undefined && isSecret(inside as JsonSchema, rest)
}

/** What the schema accepts. */
function expectation({ keyword, params, message, parentSchema }: ErrorObject): string {
  const schema = (parentSchema ?? {}) as JsonSchema
  switch (keyword) {
    case 'type':
      return `must be ${[params.type].flat().map(article).join(' or ')}`
    case 'minLength':
    case 'maxLength': {
      const { minLength = 0, maxLength } = schema
      const from = minLength === maxLength ? '' : `${minLength} to `
      return `must be a string of ${from}${countOf(Number(maxLength), 'character')}`
    }
    case 'minimum':
    case 'maximum':
      return schema.minimum === undefined || schema.maximum === undefined
        ? `must be ${params.comparison} ${params.limit}`
        : `must be from ${schema.minimum} to ${schema.maximum}`
    case 'minProperties':
      return `must have at least ${countOf(params.limit, 'member')}`
    case 'maxProperties':
      return `must have at most ${countOf(params.limit, 'member')}`
    case 'minItems':
      return `must have at least ${countOf(params.limit, 'item')}`
    case 'maxItems':
      return `must have at most ${countOf(params.limit, 'item')}`
    case 'enum':
      return `must be one of ${(params.allowedValues as unknown[]).map((value) => JSON.stringify(value)).join(', ')}`
    case 'const':
      return `must be ${JSON.stringify(params.allowedValue)}`
    case 'format':
      return `must be ${article(params.format)}`
    case 'formatMinimum':
    case 'formatMaximum':
      return `must not be ${bounds[keyword]} ${params.limit}`
    case 'pattern':
      return `must ${patternWords(params.pattern)}`
    default:
      return message ?? 'is not valid'
  }
}

const countOf = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

const words: Readonly<Record<string, string>> = {
  string: 'a string',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'an array',
  null: 'null',
  email: 'an email address',
  uri: 'an absolute URI',
  uuid: 'a UUID',
  'date-time': 'a timestamp (RFC 3339)',
  day: 'a day (YYYY-MM-DD), with or without a time of day (HH:MM:SS)',
}
const article = (word: string) => words[word] ?? word
const bounds: Readonly<Record<string, string>> = { formatMinimum: 'before', formatMaximum: 'after' }

/** A message repeats only values up to this size: a larger one would cost more than the check. */
const repeatedMax = 100

function actualValue({ keyword, data: value }: ErrorObject): string {
  if (keyword === 'maxItems' || keyword === 'minItems') return `, not ${(value as unknown[]).length}.`
  if (!hasAtMost(value, repeatedMax)) return '.'
  // JSON has no form for a number beyond a double: it would become null.
  const text = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? '')
  return `, not ${text.length > 60 ? `${text.slice(0, 57).toWellFormed()}…` : text}.`
}

import { setImmediate } from 'node:timers/promises'
import { Faults } from '../../kernel/body/faults.ts'
import { dataOf } from '../../kernel/body/input.ts'
import { invalidField, missingField, Problem } from '../../kernel/errors.ts'
import type { ApiDefinition, DefinedField } from './definition.ts'
import { type CustomFieldRules, type ElementType, limits } from './field-rules.ts'

const entryBytesMax = 64 * 1024
// The maximum length of a path segment in the router.
const urlSlugLengthMax = 500

/** The approximate size of a value in bytes: of its JSON, of a text without quotes and escapes, 0 for null. */
export function sizeOf(value: unknown): number {
  if (value === null || value === undefined) return 0
  return Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value))
}

export function mustFit(size: number): void {
  if (size > entryBytesMax) throw new Problem('too_large', 'Maximum entry size reached.')
}

/** Folds the case of a value that must be unique regardless of case. */
export const foldCase = (value: string): string => value.toLowerCase()

/** Reads the values of the fields from a request body. Other members are ignored. */
export async function readValues(api: ApiDefinition, body: unknown): Promise<Record<string, unknown>> {
  const data = dataOf(body)
  const faults = new Faults()
  faults.check(() => mustBeOfType(api, data.type))
  const sentFields = api.fields.filter(({ name }) => Object.hasOwn(data, name))
  mustFit(sentFields.reduce((size, { name }) => size + sizeOf(data[name]), 0))
  for (const field of sentFields) {
    faults.check(() => mustBeAccepted(field, data[field.name]))
    // Regular expressions can be slow, and there may be a hundred: let other requests run in between.
    if (field.rules.regex != null) await setImmediate()
  }
  faults.refuse()
  return Object.fromEntries(sentFields.map(({ name }) => [name, data[name]]))
}

function mustBeOfType({ doc: { api_type } }: ApiDefinition, type: unknown): void {
  if (type === undefined) throw missingField('data.type')
  if (type !== api_type)
    throw invalidField('data.type', `must be ${JSON.stringify(api_type)}, not ${shown(type)}`)
}

/** For a list, the rule on null is about its elements. */
export function mustBePresent({ name, type, rules }: DefinedField, value: unknown): void {
  if (value === null && !rules.allow_null_values && type !== 'list') throw missingField(`data.${name}`)
}

export function mustBeAccepted(field: DefinedField, value: unknown): void {
  const path = `data.${field.name}`
  if (value === null) {
    if (field.type === 'list' || field.rules.allow_null_values) return
    throw missingField(path)
  }
  const fault = findFault(field, value, path)
  if (fault) throw invalidField(fault.path, `must be ${fault.expected}, not ${shown(fault.value)}`)
}

interface ValueFault {
  readonly path: string
  readonly expected: string
  readonly value: unknown
}

function findFault(field: DefinedField, value: unknown, path: string): ValueFault | undefined {
  const { type, rules } = field
  if (type === 'list') return findListFault(rules, value, path)
  if (type === 'any') return undefined
  const expected = type === 'string' ? expectText(field, value) : expectScalar(type, value, rules)
  return expected === undefined ? undefined : { path, expected, value }
}

function findListFault(rules: CustomFieldRules, value: unknown, path: string): ValueFault | undefined {
  const least = rules.min_length ?? 0
  const most = rules.max_length ?? limits.elementsMax
  if (!Array.isArray(value) || value.length < least || value.length > most) {
    return { path, expected: `a list of ${least} to ${most} values`, value }
  }
  for (const [place, element] of value.entries()) {
    if (element === null && rules.allow_null_values) continue
    const expected = expectScalar(rules.allowed_type ?? 'any', element, {})
    if (expected !== undefined) return { path: `${path}.${place}`, expected, value: element }
  }
  return undefined
}

/** What is accepted instead of the value, in words; undefined if the value is accepted. */
function expectScalar(
  type: ElementType,
  value: unknown,
  bounds: Partial<CustomFieldRules>,
): string | undefined {
  switch (type) {
    case 'string':
      return typeof value === 'string' && lengthOf(value) <= limits.textLengthMax
        ? undefined
        : `a string of at most ${limits.textLengthMax} characters`
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'true or false'
    case 'any':
      return ['string', 'boolean'].includes(typeof value) || Number.isFinite(value)
        ? undefined
        : 'a string, a number, true or false'
  }
  const whole = type === 'integer'
  const least = bounds.min_value ?? (whole ? Number.MIN_SAFE_INTEGER : -Number.MAX_VALUE)
  const most = bounds.max_value ?? (whole ? Number.MAX_SAFE_INTEGER : Number.MAX_VALUE)
  const fits = typeof value === 'number' && value >= least && value <= most
  if (fits && (!whole || Number.isSafeInteger(value))) return undefined
  return `a ${whole ? 'whole ' : ''}number from ${least} to ${most}`
}

const unreserved = /^[A-Za-z0-9._~-]+$/

function expectText({ rules, regex, isUrlSlug }: DefinedField, value: unknown): string | undefined {
  const least = rules.min_length ?? 0
  const most = Math.min(rules.max_length ?? limits.textLengthMax, isUrlSlug ? urlSlugLengthMax : Infinity)
  if (typeof value !== 'string' || lengthOf(value) < least || lengthOf(value) > most) {
    return `a string of ${least} to ${most} characters`
  }
  if (isUrlSlug && (!unreserved.test(value) || value === '.' || value === '..')) {
    return 'a string of letters, digits, -, ., _ and ~, because it is part of a URL'
  }
  const steps = regex?.programSize() ?? 0
  if (steps * value.length > limits.regexWorkMax) {
    return `a string of at most ${Math.floor(limits.regexWorkMax / steps)} characters, because its regex takes ${steps} steps`
  }
  if (regex && !regex.matcher(value).find()) return `a string that matches ${rules.regex}`
  return undefined
}

/** In characters, not in UTF-16 units. */
function lengthOf(text: string): number {
  let length = text.length
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit >= 0xd800 && unit < 0xdc00) length--
  }
  return length
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? ''
  return text.length > 60 ? `${text.slice(0, 57).toWellFormed()}…` : text
}

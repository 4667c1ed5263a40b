import type { FieldFacts } from '../api/document.ts'
import { isItem, valueAt } from '../api/objects.ts'
import { words } from '../words/words.ts'

/** Kinds whose texts are JSON. */
const isStructure = (kind: FieldFacts['kind']): boolean =>
  kind === 'json' || kind === 'references' || kind === 'words' || kind === 'amounts'

/** A value as its editor holds it. */
export function textOf({ kind }: FieldFacts, value: unknown): string {
  if (value === undefined || value === null) return ''
  if (isStructure(kind)) return JSON.stringify(value, null, 2)
  return String(value)
}

/** The value of a text; undefined for none. An emptied field becomes null where that is allowed. */
export function readText({ kind, nullable }: FieldFacts, text: string): unknown {
  if (text === '') return nullable ? null : undefined
  if (kind === 'number' || kind === 'integer' || kind === 'money') return Number(text)
  if (kind === 'boolean') return text === 'true'
  if (!isStructure(kind)) return text
  const value: unknown = JSON.parse(text)
  return kind === 'words' && Array.isArray(value) ? value.filter((one) => one !== '') : value
}

/** The ids in a list of ids or of references. */
export const idsIn = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : [])
    .map((one: unknown) => (isItem(one) ? one.id : one))
    .filter((id) => typeof id === 'string')

/** A list of ids or references with these ids; what belongs to those that stay, stays. */
export function withIds(
  { linkType }: FieldFacts,
  value: unknown,
  ids: readonly string[],
): readonly unknown[] {
  const before: readonly unknown[] = Array.isArray(value) ? value : []
  return ids.map(
    (id) =>
      before.find((one) => (isItem(one) ? one.id : one) === id) ?? (linkType ? { type: linkType, id } : id),
  )
}

const currencyPaths = ['currency', 'meta.display_price.with_tax.currency']

/** The currency of an amount: it is beside it, or the whole object is in one. */
export function currencyOf({ kind, currencyAt }: FieldFacts, item: unknown): string | undefined {
  if (kind !== 'money') return undefined
  const [code] = [currencyAt ?? [], ...currencyPaths]
    .flat()
    .map((path) => valueAt(item, path))
    .filter((value) => typeof value === 'string' && value !== '')
  return typeof code === 'string' ? code : undefined
}

/** What is wrong with a text by the limits of the document; undefined if nothing is. */
export function faultOf(field: FieldFacts, text: string): string | undefined {
  const { kind, required, nullable } = field
  if (text === '') return required && !nullable ? words.form.isRequired : undefined
  if (kind === 'money' && !/^-?\d+$/.test(text)) return words.money.wrong
  if (kind === 'number' || kind === 'integer' || kind === 'money') return faultOfNumber(field, Number(text))
  if (kind === 'amounts') return faultOfAmounts(text)
  if (isStructure(kind)) return isJson(text) ? undefined : words.form.notJson
  if (kind === 'time') return Number.isNaN(Date.parse(text)) ? words.form.notTime : undefined
  return kind === 'text' || kind === 'reference' ? faultOfText(field, text) : undefined
}

function faultOfAmounts(text: string): string | undefined {
  if (!isJson(text)) return words.form.notJson
  const wrong = Object.values(JSON.parse(text)).some(
    (one) => !isItem(one) || !Number.isSafeInteger(one.amount),
  )
  return wrong ? words.money.wrong : undefined
}

function faultOfNumber({ kind, min, max }: FieldFacts, value: number): string | undefined {
  const { notNumber, notInteger, tooSmall, tooLarge } = words.form
  if (!Number.isFinite(value)) return notNumber
  if (kind === 'integer' && !Number.isInteger(value)) return notInteger
  if (min !== undefined && value < min) return tooSmall(min)
  return max !== undefined && value > max ? tooLarge(max) : undefined
}

function faultOfText({ minLength, maxLength, pattern }: FieldFacts, text: string): string | undefined {
  const { tooShort, tooLong, notPattern } = words.form
  const { length } = [...text]
  if (minLength !== undefined && length < minLength) return tooShort(minLength)
  if (maxLength !== undefined && length > maxLength) return tooLong(maxLength)
  return pattern !== undefined && isCertainlyAgainst(pattern, text) ? notPattern : undefined
}

/** The server reads patterns as RE2. What this browser cannot read is left to the server. */
function isCertainlyAgainst(pattern: string, text: string): boolean {
  try {
    return !new RegExp(pattern, 'u').test(text)
  } catch {
    return false
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

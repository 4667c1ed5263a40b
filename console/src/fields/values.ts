import type { FieldFacts } from '../api/document.ts'
import { isItem, valueAt } from '../api/objects.ts'
import { words } from '../words/words.ts'
import { fieldTitle } from './names.ts'

/** Kinds whose texts are JSON. */
const isStructure = (kind: FieldFacts['kind']): boolean =>
  ['json', 'references', 'words', 'amounts', 'objects', 'map'].includes(kind)

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

/** What was typed into a picker and not chosen stands among the ids with this sign before it. */
const unchosen = '?'

/** The ids of a field that were chosen, and what was typed and not chosen. */
export function chosenIn({ kind }: FieldFacts, text: string) {
  const all = kind === 'references' ? idsIn(text === '' ? [] : JSON.parse(text)) : text === '' ? [] : [text]
  return {
    ids: all.filter((id) => !id.startsWith(unchosen)),
    typed: all.find((id) => id.startsWith(unchosen))?.slice(unchosen.length) ?? '',
  }
}

/** The text of a field with these ids, and with what was typed and not chosen. What belongs to ids that stay, stays. */
export function textWithIds(field: FieldFacts, text: string, ids: readonly string[], typed: string): string {
  const open = typed === '' ? [] : [unchosen + typed]
  if (field.kind === 'reference') return open[0] ?? ids[0] ?? ''
  const before: unknown = text === '' ? [] : JSON.parse(text)
  return JSON.stringify([...withIds(field, before, ids), ...open])
}

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
  if ((kind === 'reference' || kind === 'references') && isJsonOr(kind, text) && chosenIn(field, text).typed)
    return words.picker.choose
  if (kind === 'money' && !/^-?\d+$/.test(text)) return words.money.wrong
  if (kind === 'number' || kind === 'integer' || kind === 'money') return faultOfNumber(field, Number(text))
  if (kind === 'amounts') return faultOfAmounts(text)
  if (isStructure(kind) && !isJson(text)) return words.form.notJson
  if (kind === 'objects' || kind === 'map') return faultInside(field, Object.values(JSON.parse(text)))
  if (isStructure(kind)) return undefined
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

/** What is wrong with the first value of a list or a map that is not right. */
function faultInside({ inside = [] }: FieldFacts, values: readonly unknown[]): string | undefined {
  for (const [i, value] of values.entries())
    for (const one of inside) {
      const inner = one.path === '' ? value : valueAt(value, one.path)
      const fault = faultOf(one, typeof inner === 'string' ? inner : textOf(one, inner))
      if (fault) return words.fields.faultIn(i + 1, fieldTitle(one), fault)
    }
  return undefined
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

const isJsonOr = (kind: FieldFacts['kind'], text: string) => kind === 'reference' || isJson(text)

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

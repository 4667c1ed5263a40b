import type { AddedFields, Model } from '../shape/model.ts'
import { ownValue } from '../shape/values.ts'

/** The texts of the added fields in a document, and the members to add if it has none of them. */
interface KeyTexts {
  readonly keys: readonly string[]
  /** Fields that responses leave out when they are null. */
  readonly nulls: readonly string[]
  readonly lacking: string
}

const cache = new WeakMap<AddedFields, KeyTexts>()

function keyTextsOf(added: AddedFields): KeyTexts {
  const cached = cache.get(added)
  if (cached) return cached
  const shown = added.fields.filter(({ hidden, holdsLinks }) => !hidden && !holdsLinks)
  const keyOf = ({ name }: { readonly name: string }) => `${JSON.stringify(name)}:`
  const texts = {
    keys: shown.map(keyOf),
    nulls: shown.filter(({ omitNull }) => omitNull).map((one) => `${keyOf(one)}null`),
    lacking: shown.flatMap((one) => (one.omitNull ? [] : [`${keyOf(one)}null`])).join(','),
  }
  cache.set(added, texts)
  return texts
}

/** The text of a document with all added fields of its store, in order; null for missing values. */
export function completeText({ envelope, added }: Model, text: string): string {
  if (!added) return text
  if (envelope.fields === 'attributes') return rewrite(text, added, 'attributes')
  const { keys, nulls, lacking } = keyTextsOf(added)
  const first = text.indexOf(keys[0] ?? '}')
  // Quotes inside a string are escaped, so this text is a key, of the document or inside it.
  if (first < 0)
    return keys.some((key) => text.includes(key)) ? rewrite(text, added) : withMembers(text, lacking)
  return isWhole(text, first, keys) && !nulls.some((one) => text.includes(one)) ? text : rewrite(text, added)
}

const withMembers = (text: string, members: string): string => {
  if (!members) return text
  return text === '{}' ? `{${members}}` : `${text.slice(0, -1)},${members}}`
}

/** Whether the document ends with these keys in order: after the first, no brace opens or closes before the end. */
function isWhole(text: string, first: number, keys: readonly string[]): boolean {
  if (text.indexOf('}', first) !== text.length - 1 || text.indexOf('{', first) >= 0) return false
  let at = first
  for (const key of keys) {
    at = text.indexOf(key, at)
    if (at < 0) return false
  }
  return true
}

function rewrite(text: string, { fields }: AddedFields, inside?: 'attributes'): string {
  const all = JSON.parse(text) as Record<string, unknown>
  const members = (inside ? all[inside] : all) as Record<string, unknown>
  const values = fields.filter(({ holdsLinks }) => !holdsLinks)
  const names = new Set(values.map(({ name }) => name))
  const own = Object.entries(members).filter(([name]) => !names.has(name))
  const shown = values
    .filter(({ hidden }) => !hidden)
    .map(({ name, omitNull }) => [name, ownValue(members, name) ?? null, omitNull] as const)
    .filter(([, value, omitNull]) => value !== null || !omitNull)
  const whole = Object.fromEntries([...own, ...shown])
  return JSON.stringify(inside ? { ...all, [inside]: whole } : whole)
}

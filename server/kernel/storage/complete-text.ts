import type { Added, Model } from '../shape/model.ts'
import { ownValue } from '../shape/values.ts'

/** What is looked for in the text of a document, and what it lacks that has none of it. */
interface Sought {
  readonly keys: readonly string[]
  /** Of fields that are left out where they are null. */
  readonly nulls: readonly string[]
  readonly lacking: string
}

const cache = new WeakMap<Added, Sought>()

function soughtOf(added: Added): Sought {
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

/** The text of a document with all fields that its store has added, in their order: null where it has no value. */
export function completeText({ envelope, added }: Model, text: string): string {
  if (!added) return text
  if (envelope.fields === 'attributes') return rewritten(text, added, 'attributes')
  const { keys, nulls, lacking } = soughtOf(added)
  const first = text.indexOf(keys[0] ?? '}')
  // A key's quotes are nowhere in a string, where they would be escaped: it is a key, of the document or inside it.
  if (first < 0)
    return keys.some((key) => text.includes(key)) ? rewritten(text, added) : withMembers(text, lacking)
  return isWhole(text, first, keys) && !nulls.some((one) => text.includes(one))
    ? text
    : rewritten(text, added)
}

const withMembers = (text: string, members: string): string => {
  if (!members) return text
  return text === '{}' ? `{${members}}` : `${text.slice(0, -1)},${members}}`
}

/** Whether the document ends with these keys in their order: nothing opens or closes behind the first but the end. */
function isWhole(text: string, first: number, keys: readonly string[]): boolean {
  if (text.indexOf('}', first) !== text.length - 1 || text.indexOf('{', first) >= 0) return false
  let at = first
  for (const key of keys) {
    at = text.indexOf(key, at)
    if (at < 0) return false
  }
  return true
}

function rewritten(text: string, { fields }: Added, inside?: 'attributes'): string {
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

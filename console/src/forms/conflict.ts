import { readHistory } from '../api/audit.ts'
import { send } from '../api/client.ts'
import type { Body, FieldFacts } from '../api/document.ts'
import { type Item, isItem, valueAt } from '../api/objects.ts'
import { currencyOf } from '../fields/values.ts'
import { changedFields, startTexts, type Texts } from './body.ts'

/** A field that two people have changed, with the texts of both and that before. */
export interface Clash {
  readonly field: FieldFacts
  /** The currency of an amount. */
  readonly currency: string | undefined
  readonly yours: string
  readonly theirs: string
  readonly before: string
}

/** The object as somebody else has left it. */
export interface Conflict {
  readonly item: Item
  readonly etag: string | undefined
  readonly start: Texts
  /** The form with their changes, where they do not touch the same fields. */
  readonly texts: Texts
  readonly clashes: readonly Clash[]
  readonly who?: string
  readonly when?: string
}

/** Reads the object again, and merges what does not touch the same fields. */
export async function readConflict(path: string, body: Body, start: Texts, texts: Texts): Promise<Conflict> {
  const { body: answer, etag } = await send({ path })
  const data = valueAt(answer, 'data')
  const item = isItem(data) ? data : {}
  const theirs = startTexts(body, item)
  const mine = new Set(changedFields(body, start, texts).map((field) => field.path))
  const clashes = changedFields(body, start, texts)
    .map((field) => ({
      field,
      currency: currencyOf(field, item),
      yours: texts[field.path] ?? '',
      theirs: theirs[field.path] ?? '',
      before: start[field.path] ?? '',
    }))
    .filter((one) => one.theirs !== one.before && one.theirs !== one.yours)
  const merged = Object.fromEntries(
    Object.keys(texts).map((path) => [path, (mine.has(path) ? texts : theirs)[path] ?? '']),
  )
  return {
    ...{ item, etag, start: theirs, texts: merged, clashes },
    ...(await lastChangeOf(String(item.id))),
  }
}

/** Who has changed an object last, and when, as far as the audit of the store says. */
async function lastChangeOf(id: string): Promise<Pick<Conflict, 'who' | 'when'>> {
  const { signal } = new AbortController()
  const { entries } = await readHistory([id], '', signal).catch(() => ({ entries: [] }))
  const [last] = entries
  if (!last) return {}
  const { name, email, kind } = last.author
  const who = name ?? email ?? kind
  return { ...(who && { who }), when: last.at }
}

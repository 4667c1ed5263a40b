import type { Item } from '../../api/objects.ts'
import { designOf } from './field-rules.ts'
import { valueFor } from './samples.ts'

export const tries = ['create', 'read', 'change', 'conflict', 'remove'] as const
export type Try = (typeof tries)[number]

export interface TryRequest {
  readonly method?: 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** What a request of a try was answered. */
export interface Tried {
  readonly step: Try
  readonly request: TryRequest
  readonly status: number
  readonly etag?: string
  /** The `etag_id` of the entry in the body. */
  readonly etagId?: string
  readonly id?: string
  readonly faults: readonly string[]
}

/** The hash of an ETag: `W/"…"`. */
export const hashIn = (etag: string): string => etag.replace(/^W\/"|"$/g, '')

/** The body of a new entry with a value in each field. */
export const newEntry = (type: string, fields: readonly Item[]): Item => ({
  data: {
    type,
    ...Object.fromEntries(fields.map((field) => [String(field.slug), valueFor(designOf(field), 1)])),
  },
})

/** The body that changes the first field that can change; undefined if none can. */
export function changeOf(type: string, fields: readonly Item[]): Item | undefined {
  const field = fields.find((one) => designOf(one).rules.immutable !== true)
  return field && { data: { type, [String(field.slug)]: valueFor(designOf(field), 2) } }
}

/** The request of a step, and undefined if it has to wait for the steps before. */
export function requestOf(
  step: Try,
  entries: string,
  done: readonly Tried[],
  bodies: { readonly created: unknown; readonly change: unknown },
): TryRequest | undefined {
  if (step === 'create') return { method: 'POST', path: entries, body: bodies.created }
  const created = done.findLast((one) => one.step === 'create' && one.id !== undefined)
  if (!created?.id || done.some((one) => one.step === 'remove' && one.status < 300)) return undefined
  const path = `${entries}/${created.id}`
  if (step === 'read') return { path }
  if (step === 'remove') return { method: 'DELETE', path }
  const latest = done.findLast(({ etag }) => etag !== undefined)?.etag
  const changed = done.some((one) => one.step === 'change' && one.status < 300)
  // The version of before the change, as somebody holds it who has not read the entry since.
  const etag = step === 'change' ? latest : changed ? created.etag : undefined
  return bodies.change === undefined || etag === undefined
    ? undefined
    : { method: 'PUT', path, body: bodies.change, headers: { 'if-match': etag } }
}

import { useSyncExternalStore } from 'react'
import { open, send } from './client.ts'
import type { Resource, ResourceFields } from './document.ts'
import { isItem, pageIn, valueAt } from './objects.ts'
import type { Rights } from './rights.ts'

/** What the store itself adds to the API: the entries of its custom APIs and flows, and fields of other resources. */
export interface Own {
  /** How often it was read. */
  readonly version: number
  readonly resources: readonly Resource[]
  /** The fields of these, and of all other resources if flows add fields to any. */
  readonly fields: ReadonlyMap<string, ResourceFields>
}

let own: Own = { version: 0, resources: [], fields: new Map() }
const listeners = new Set<() => void>()

export const ownNow = (): Own => own

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** As `ownNow`; what uses it is drawn anew when it has been read again. */
export const useOwn = (): Own => useSyncExternalStore(subscribe, ownNow)

type Parts = Pick<Own, 'resources' | 'fields'>

const none: Parts = { resources: [], fields: new Map() }

/** Reads the documents of the store, as far as the caller may. */
export async function readOwn({ may }: Rights, signal: AbortSignal): Promise<Own> {
  const [apis, flows] = await Promise.all([
    may('read custom-apis') ? readApis(signal).catch(() => none) : none,
    may('read flows') ? readFlows(signal).catch(() => none) : none,
  ])
  own = {
    version: own.version + 1,
    resources: [...apis.resources, ...flows.resources],
    fields: new Map([...flows.fields, ...apis.fields]),
  }
  for (const listener of listeners) listener()
  return own
}

const entryNoun = ['entry', 'entries'] as const

async function readApis(signal: AbortSignal): Promise<Parts> {
  const { body } = await send({ path: '/v2/settings/extensions/specifications/openapi', signal })
  const { index, fields } = await takeApart(body)
  return {
    resources: index.map((one) => ({ ...one, noun: entryNoun, own: 'custom-api' })),
    fields: new Map([...fields].map(([id, one]) => [id, forPeople(withRequired(one))])),
  }
}

/** Sizes and versions are for programs: they are in the JSON of an entry. */
const forPeople = ({ shown, ...others }: ResourceFields): ResourceFields => ({
  ...others,
  shown: shown.filter(({ path }) => !path.startsWith('meta.') || path.startsWith('meta.timestamps')),
})

/** A new entry must have the values that cannot be null; an update may leave them out. */
function withRequired({ create, ...others }: ResourceFields): ResourceFields {
  const fields = (create?.fields ?? []).map((field) =>
    field.nullable || field.kind === 'json' ? field : { ...field, required: true },
  )
  return { ...others, ...(create && { create: { ...create, fields } }) }
}

/** The most flows that a store has by the names of people; others are shown by their slugs. */
const namedMax = 100

/** The document with the fields of flows is large, so it is read where there are flows, and once for each state of them. */
async function readFlows(signal: AbortSignal): Promise<Parts> {
  const { body } = await send({ path: `/v2/flows?page[limit]=${namedMax}`, signal })
  const flows = pageIn(body).rows
  if (!flows.length) return none
  const { index, fields } = await readStoreDocument(signal)
  const resources = index.flatMap((one): readonly Resource[] => {
    const flow = flows.find(({ slug }) => one.path === `/v2/flows/${String(slug)}/entries`)
    if (!/^\/v2\/flows\/[^{]+\/entries$/.test(one.path)) return []
    const title = String(flow?.name ?? one.title)
    const parent = typeof flow?.id === 'string' ? { parentId: flow.id } : {}
    return [{ ...one, title, noun: entryNoun, own: 'flow', ...parent }]
  })
  return { resources, fields }
}

type Apart = Awaited<ReturnType<typeof takeApart>>

let known: { readonly etag: string | null; readonly apart: Apart } | undefined

async function readStoreDocument(signal: AbortSignal): Promise<Apart> {
  const headers = known?.etag ? { 'if-none-match': known.etag } : {}
  const response = await open({ path: '/v2/settings/specifications/openapi', headers, signal })
  if (known && response.status === 304) return known.apart
  const apart = await takeApart(await response.json())
  known = { etag: response.headers.get('etag'), apart }
  return apart
}

/** Only a store with such parts needs this code. */
async function takeApart(document: unknown) {
  if (!isItem(document) || !Object.keys(valueAt(document, 'paths') ?? {}).length)
    return { index: [], fields: none.fields }
  const { takeApart } = await import('../../build/document.ts')
  return takeApart(document)
}

import { carts, expiresAt } from '../../carts/index.ts'
import { entriesOfApi } from '../../fields/index.ts'
import type { Resource } from '../../kernel/declare/resource.ts'
import { clientsIdOf, type FeedChange, rowOfChange } from '../../kernel/feed/changes.ts'
import { objectText } from '../../kernel/http/object-text.ts'
import { currentDefinition } from '../../kernel/query/definitions.ts'
import { complete } from '../../kernel/shape/values.ts'
import type { Store } from '../../kernel/storage/store.ts'
import { Ctx, type Work } from '../../kernel/work/context.ts'
import { includedText, type OrderRow } from '../../orders/index.ts'
import { openOneTimePasswordEvent } from '../../people/index.ts'
import { storeSettings } from '../../store/index.ts'
import { isPreview, type StoreEvent } from './events-of.ts'
import { sourceOf } from './families.ts'
import type { EventPayload } from './payload.ts'

/**
 * What an event shows: the object of its change, in the form of its GET. Undefined where nobody is to be told, such as
 * the deletion of a preview, and where the change is from before the feed stored whole objects.
 */
export async function payloadOf(
  work: Work,
  change: FeedChange,
  { key }: Pick<StoreEvent, 'key'>,
): Promise<EventPayload | undefined> {
  const family = key.slice(0, key.lastIndexOf('.'))
  if (family === 'one-time-password-token-request') {
    const doc = JSON.parse(change.doc ?? '{}') as Readonly<Record<string, unknown>>
    const object = JSON.stringify(openOneTimePasswordEvent(work.instance.sealKeys, doc))
    return { object, isBare: true }
  }
  if (change.event !== 'deleted' && change.version === undefined) return undefined
  if (family === 'settings') return { object: await settingsText(work, change) }
  if (change.source === 'entries') {
    if (change.event === 'deleted') return goneObject(change.type, change.id)
    return { object: await entryText(work, change) }
  }
  const source = sourceOf(family, change.source)
  if (!source) throw new Error(`${key} is no event of ${change.source}`)
  const { resource, hasItems, needsHidden } = source
  if (change.event === 'deleted') return tombstone(work, change, resource)
  if (needsHidden && change.hidden === undefined) return undefined
  const own = await currentDefinition(work, resource, change.scope === undefined ? [] : [change.scope])
  const row = rowOfChange(own, change)
  const ctx = contextOf(work)
  const object = objectText(own, row, ctx, false)
  if (!hasItems) return { object }
  const items = await includedText(ctx, row as OrderRow, { names: ['items'] })
  return { object, included: items.slice(',"included":'.length) }
}

/** Links begin with the URL that clients use, if a setting fixes it; otherwise they are paths. */
const contextOf = ({ store, who, requestId, instance }: Work): Ctx =>
  new Ctx({ store, who, requestId, instance, clientAddress: '', baseUrl: instance.baseUrl ?? '' })

async function settingsText(work: Work, { doc = '{}' }: FeedChange): Promise<string> {
  const values = complete(storeSettings.fields, JSON.parse(doc) as object)
  const { data } = (await storeSettings.show(contextOf(work), values)) as { readonly data: object }
  return JSON.stringify(data)
}

async function tombstone(
  work: Work,
  change: FeedChange,
  resource: Resource,
): Promise<EventPayload | undefined> {
  if (resource.table === carts.table) return cartTombstone(work, change)
  return goneObject(resource.type, change.id)
}

/** Clients know a cart by an id of their own. Nobody is told of previews, and of carts that had expired. */
async function cartTombstone(work: Work, change: FeedChange): Promise<EventPayload | undefined> {
  const prior = await priorState(work.store, change)
  const gone = goneObject(carts.type, clientsIdOf(change))
  if (!prior) return gone
  const { doc, at, hidden } = prior
  const hasExpired = expiresAt({ updatedAt: at, hidden: JSON.parse(hidden) }) <= change.at
  return isPreview(doc) || hasExpired ? undefined : gone
}

/** What is left to say of an object that was deleted. */
const goneObject = (type: string, id: string): EventPayload => ({
  ...{ object: JSON.stringify({ type, id }), isBare: true },
})

async function entryText(work: Work, change: FeedChange): Promise<string> {
  const { type, id, scope = '' } = change
  const entries = await entriesOfApi(work, scope)
  // Its custom API has been deleted meanwhile: nothing says where the entry was.
  if (!entries) return JSON.stringify({ type, id, ...JSON.parse(change.doc ?? '{}') })
  return objectText({ ...entries, type }, rowOfChange(entries, change), contextOf(work), false)
}

/** An object before a change. */
interface PriorState {
  readonly doc: string
  /** When it was written, as an ISO timestamp. */
  readonly at: string
  readonly hidden: string
}

/** The object as the last change before this one left it; undefined if the feed no longer has that. */
async function priorState(
  store: Store,
  { id, source, position }: Pick<FeedChange, 'id' | 'source' | 'position'>,
): Promise<PriorState | undefined> {
  const [row] = await store.read(
    `SELECT doc, to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), coalesce(hidden, '{}')
     FROM changes WHERE store_id = $1 AND id = $2 AND position < $3 AND source = $4 AND doc IS NOT NULL
     ORDER BY position DESC LIMIT 1`,
    id,
    position,
    source,
  )
  if (!row) return undefined
  const [doc, at, hidden] = row as readonly [string, string, string]
  return { doc, at, hidden }
}

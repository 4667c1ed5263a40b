import type { FeedChange } from '../../kernel/feed/changes.ts'
import { idFrom } from '../../kernel/ids.ts'
import type { Work } from '../../kernel/work/context.ts'
import { accountRealmId } from '../../people/index.ts'
import { allEventKeys, entryVerbs, eventKeys } from '../integrations/event-keys.ts'
import { eventSources } from './families.ts'

/** An event of a store, which integrations can observe. */
export interface StoreEvent {
  /**
   * Made of the change and the key, so that it is the same in each process, at any time. The position alone
   * would not do: a server that was restored from a backup gives some positions to other changes.
   */
  readonly id: string
  readonly key: string
  /** The position of the change in the feed. */
  readonly position: number
  /** The object. Its events are in the order of their positions. */
  readonly subject: { readonly source: string; readonly id: string }
}

/** What deriving events needs to know of a store. It never changes. */
export interface StoreFacts {
  readonly storeId: string
  readonly accountRealmId: string
}

export const storeFacts = async (work: Work): Promise<StoreFacts> => ({
  storeId: work.store.id,
  accountRealmId: await accountRealmId(work),
})

/** The events of a change, in the order in which they are sent. Most changes have one event or none. */
export function eventsOf(change: FeedChange, facts: StoreFacts): readonly StoreEvent[] {
  const { position, source, id } = change
  return keysOf(change, facts).map((key) => ({
    ...{ id: idFrom(`${facts.storeId} ${position} ${id} ${change.at} ${key}`), key, position },
    subject: { source, id },
  }))
}

function keysOf(change: FeedChange, { accountRealmId }: StoreFacts): readonly string[] {
  const { event, type, source, scope } = change
  // Recorded as an event: its name is the key.
  if (event.includes('.')) return allEventKeys.includes(event) ? [event] : []
  if (isOfPreview(change) || isExpiry(change)) return []
  // The settings of a store exist before their first write, which clients call an update.
  if (source === 'singletons.settings') {
    return event === 'created' ? ['settings.created', 'settings.updated'] : ['settings.updated']
  }
  if (source === 'entries') return entryVerbs.some((verb) => verb === event) ? [`${type}.${event}`] : []
  return eventSources
    .filter(
      ({ resource, ofMembers }) => resource.table === source && (!ofMembers || scope === accountRealmId),
    )
    .flatMap(({ family, createdAs }) => {
      const endings = event === 'created' && createdAs ? createdAs : [event]
      const known: readonly string[] = eventKeys[family]
      return endings.filter((ending) => known.includes(ending)).map((ending) => `${family}.${ending}`)
    })
}

/** A cart of another time is a preview: nobody is told of it. Its deletion is recognised when it is sent. */
const isOfPreview = ({ source, doc }: FeedChange): boolean =>
  source === 'carts' && doc !== undefined && isPreview(doc)

export const isPreview = (doc: string): boolean =>
  doc.includes('"snapshot_date"') && Boolean((JSON.parse(doc) as { snapshot_date?: string }).snapshot_date)

/** Carts that expire are removed by the server itself. */
const isExpiry = ({ source, event, actor }: FeedChange): boolean =>
  source === 'carts' && event === 'deleted' && actor === 'system'

import { changesBetween } from './changes-between.ts'
import { send } from './client.ts'
import type { HistoryEntry } from './history-entry.ts'
import { type Item, isItem, valueAt } from './objects.ts'
import { termOf } from './terms.ts'

export interface HistoryPage {
  readonly entries: readonly HistoryEntry[]
  /** Where older ones begin; undefined if there are none. */
  readonly next: string | undefined
}

const perPage = 25

/** What happened to some objects, the newest first. */
export async function readHistory(
  ids: readonly string[],
  after: string,
  signal: AbortSignal,
): Promise<HistoryPage> {
  const query = new URLSearchParams({
    ...{ filter: termOf(ids.length > 1 ? 'in' : 'eq', 'id', ids.join(',')), 'page[limit]': String(perPage) },
    ...(after && { 'page[after]': after }),
  })
  const { body } = await send({ path: `/v2/audit?${query}`, signal })
  const data = valueAt(body, 'data')
  const next = textAt(body, 'links.next')
  return {
    entries: (Array.isArray(data) ? data.filter(isItem) : []).map(entryOf),
    next: next && (new URL(next, location.origin).searchParams.get('page[after]') ?? undefined),
  }
}

/** More bulk changes than these are not looked for. They are stored for 30 days. */
const bulkChangesMax = 100

/** The ids of the newest bulk changes by the ids of their requests, which the changes of their objects have too. */
export async function readBulkChanges(signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const filter = `${termOf('eq', 'type', 'bulk_change')}:${termOf('eq', 'event', 'created')}`
  const query = new URLSearchParams({ filter, 'page[limit]': String(bulkChangesMax) })
  const { body } = await send({ path: `/v2/audit?${query}`, signal })
  const data = valueAt(body, 'data')
  return new Map(
    (Array.isArray(data) ? data.filter(isItem) : []).map((entry) => [
      textAt(entry, 'request_id') ?? '',
      textAt(entry, 'object.id') ?? '',
    ]),
  )
}

const textAt = (item: unknown, path: string): string | undefined => {
  const value = valueAt(item, path)
  return typeof value === 'string' && value !== '' ? value : undefined
}

function entryOf(entry: Item): HistoryEntry {
  const initiator = (name: string) => textAt(valueAt(entry, 'initiator'), `access-token-${name}`)
  const after = valueAt(entry, 'after')
  return {
    position: Number(entry.position),
    requestId: textAt(entry, 'request_id'),
    event: String(entry.event),
    type: textAt(entry, 'object.type'),
    at: String(entry.at),
    author: {
      ...{ id: initiator('id') ?? '', name: initiator('name'), email: initiator('email') },
      kind: initiator('type'),
    },
    changes: changesBetween(valueAt(entry, 'before'), after),
    after: isItem(after) ? after : undefined,
  }
}

import type { Author, HistoryEntry } from '../../api/history-entry.ts'
import { type Item, valueAt } from '../../api/objects.ts'

/** Something that a step of the timeline says: a text of `words` by its name, with an amount. */
export interface Said {
  readonly what:
    | 'placed'
    | 'paid'
    | 'pending'
    | 'authorized'
    | 'captured'
    | 'refunded'
    | 'refundFailed'
    | 'paymentFailed'
    | 'paymentCancelled'
    | 'shipped'
    | 'cancelled'
    | 'changed'
    | 'payment'
  readonly amount?: { readonly amount: number; readonly currency: string }
  readonly name?: string
}

/** What one request did to an order and its payments. */
export interface TimelineStep {
  readonly key: number
  readonly at: string
  readonly author: Author
  readonly said: readonly Said[]
  readonly entries: readonly HistoryEntry[]
}

/** The steps of an order, the newest first. What one person did at once is one step. */
export function timelineOf(entries: readonly HistoryEntry[]): readonly TimelineStep[] {
  const groups = Map.groupBy(entries, ({ requestId, position }) => requestId ?? String(position))
  return [...groups.values()].flatMap((some) => {
    const [newest] = some
    if (!newest) return []
    const said = some.toReversed().flatMap(saidOf)
    // A payment says itself what it does to the order.
    const isOfPayment = some.some(({ type }) => type === 'transaction')
    const shown = isOfPayment ? said.filter(({ what }) => what !== 'payment') : said
    return [{ key: newest.position, at: newest.at, author: newest.author, said: shown, entries: some }]
  })
}

const moneyOf = (item: Item | undefined, amount: unknown) => ({
  amount: { amount: Number(amount), currency: String(item?.currency ?? '') },
})

const changeOf = ({ changes }: HistoryEntry, path: string) => changes.find((one) => one.path === path)

function saidOf(entry: HistoryEntry): readonly Said[] {
  // The others, such as `order.paid`, only repeat what the change says.
  if (!['created', 'updated'].includes(entry.event)) return []
  return entry.type === 'transaction' ? ofPayment(entry) : ofOrder(entry)
}

function ofOrder(entry: HistoryEntry): readonly Said[] {
  if (entry.event === 'created') return [{ what: 'placed' }]
  const is = (path: string, value: string) => changeOf(entry, path)?.after === value
  const own = ['status', 'payment', 'shipping']
  const others = entry.changes.filter(({ path }) => !own.includes(path) && !path.startsWith('meta.'))
  const payment = changeOf(entry, 'payment')?.after
  return [
    ...(is('shipping', 'fulfilled') ? [{ what: 'shipped' } as const] : []),
    ...(is('status', 'cancelled') ? [{ what: 'cancelled' } as const] : []),
    ...(typeof payment === 'string' ? [{ what: 'payment', name: payment } as const] : []),
    ...(others.length ? [{ what: 'changed' } as const] : []),
  ]
}

const begun = {
  'purchase complete': 'paid',
  'capture complete': 'paid',
  'authorize complete': 'authorized',
} as const satisfies Readonly<Record<string, Said['what']>>

function ofPayment(entry: HistoryEntry): readonly Said[] {
  const { after, event } = entry
  const money = moneyOf(after, after?.amount)
  const [type, status] = [changeOf(entry, 'transaction_type'), changeOf(entry, 'status')]
  const state = `${String(after?.transaction_type)} ${String(after?.status)}`
  const name = String(after?.name ?? after?.gateway ?? '')
  const what = Object.entries(begun).find(([one]) => one === state)?.[1]
  if (event === 'created') return [{ what: what ?? 'pending', ...money, name }, ...refundIn(entry)]
  const ends = { failed: 'paymentFailed', cancelled: 'paymentCancelled' } as const
  const end = Object.entries(ends).find(([one]) => one === status?.after)?.[1]
  if (end) return [{ what: end, ...money, name }]
  if (type?.before === 'authorize' && type.after === 'capture') return [{ what: 'captured', ...money }]
  if (status && what) return [{ what, ...money, name }]
  return refundIn(entry)
}

function refundIn(entry: HistoryEntry): readonly Said[] {
  const parts = [
    ['refunded', changeOf(entry, 'refunded_amount')],
    ['refundFailed', changeOf(entry, 'failed_refund_amount')],
  ] as const
  return parts.flatMap(([what, change]) => {
    const amount = Number(change?.after ?? 0) - Number(change?.before ?? 0)
    return amount > 0 ? [{ what, ...moneyOf(entry.after, amount) }] : []
  })
}

/** The ids whose history is that of an order: its own, and those of its payments. */
export const idsOf = (order: Item, payments: readonly { readonly id: string }[]): readonly string[] => [
  String(valueAt(order, 'id')),
  ...payments.map(({ id }) => id),
]

import { useQuery } from '@tanstack/react-query'
import { send } from '../../api/client.ts'
import { type Item, pageIn } from '../../api/objects.ts'
import { useRights } from '../../api/rights.ts'

export const verbs = ['confirm', 'capture', 'refund', 'cancel'] as const
export type Verb = (typeof verbs)[number]

/** A payment of an order: a transaction of the API. */
export interface Payment {
  readonly id: string
  readonly name: string
  readonly gateway: string
  readonly type: string
  readonly status: string
  readonly amount: number
  readonly refunded: number
  readonly failedRefund: number
  readonly currency: string
  readonly at: string
  readonly failure: string | undefined
  /** What the server says can be done with it next. */
  readonly next: readonly Verb[]
  readonly item: Item
}

export const usePayments = (itemPath: string) =>
  useQuery({
    queryKey: ['item', itemPath, 'payments'],
    queryFn: async ({ signal }) =>
      pageIn((await send({ path: `${itemPath}/transactions`, signal })).body).rows.map(paymentOf),
  })

const inside = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Item)[name] : undefined

function paymentOf(item: Item): Payment {
  const { next_actions, failure_details, gateway_failure } = item
  const failure = inside(gateway_failure, 'reason') ?? inside(failure_details, 'reason')
  return {
    ...{ item, id: String(item.id), name: String(item.name ?? ''), gateway: String(item.gateway) },
    ...{ type: String(item.transaction_type), status: String(item.status), currency: String(item.currency) },
    ...{ amount: Number(item.amount), refunded: Number(item.refunded_amount ?? 0) },
    failedRefund: Number(item.failed_refund_amount ?? 0),
    at: String(inside(inside(item.meta, 'timestamps'), 'created_at')),
    failure: typeof failure === 'string' ? failure : undefined,
    next: verbs.filter((verb) => Array.isArray(next_actions) && next_actions.includes(verb)),
  }
}

/** Why neither money can be taken nor given back, if that is so; undefined where something of it can be done. */
export type Stop = 'refunded' | 'failed' | 'cancelled' | 'nothing'

export function stopOf({ type, status, next }: Payment): Stop | undefined {
  if (next.length) return undefined
  if (type === 'refund') return 'refunded'
  if (status === 'failed' || status === 'cancelled') return status
  return 'nothing'
}

/** What somebody has to look at among the payments of an order: see the page of open payments. */
export function useConcerns(orderId: string) {
  const { may } = useRights()
  return useQuery({
    queryKey: ['list', '/v2/open-payments'],
    queryFn: async ({ signal }) => pageIn((await send({ path: '/v2/open-payments', signal })).body).rows,
    select: (rows) => rows.filter((one) => one.order_id === orderId),
    enabled: may('read transactions'),
  })
}

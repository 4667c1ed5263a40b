import { dataReader } from '../../kernel/body/input.ts'
import { action } from '../../kernel/declare/action.ts'
import { Problem } from '../../kernel/errors.ts'
import { objectAnswer } from '../../kernel/http/object-answer.ts'
import { isId, newId } from '../../kernel/ids.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { change } from '../../kernel/write/by-rules.ts'
import {
  addOrder,
  type Buyer,
  findBuyer,
  included,
  includedText,
  lockBuyer,
  orders,
  type WholeOrder,
} from '../../orders/index.ts'
import { customerResource } from '../../people/index.ts'
import { newPayment } from '../rules/gateway-payment.ts'
import { changePayments, settleNew } from '../transactions/settle.ts'
import { contentsOf } from './contents.ts'
import { includedField, type ManualItem, type ManualOrderBody, manualOrderFields } from './fields.ts'
import { findCurrency } from './find-currency.ts'
import { mustAgree, paymentAs } from './payment.ts'

const readIncluded = dataReader(includedField, 'included')

/** Creates an order without a cart: one that was placed elsewhere. */
export const createManualOrder = action({
  name: 'create-manual-order',
  route: 'POST /v2/orders',
  about:
    'Creates an order that was placed elsewhere, such as by phone or in another shop. Its items are under `included`, beside `data`. It takes no stock and no codes, and no promotion applies. Its payment is recorded as one with the manual gateway.',
  area: 'orders',
  status: 201,
  body: { type: 'order', fields: manualOrderFields },
  besideData: { included: includedField },
  refuses: ['conflict', 'not_found', 'unprocessable'],
  shows: { resource: orders, beside: { included } },
  async run(ctx, { body, rawBody }) {
    const { included } = rawBody as { readonly included?: unknown }
    const items = (included === undefined ? [] : (readIncluded(rawBody).items ?? [])) as readonly ManualItem[]
    const currency = await findCurrency(ctx, body.meta, items)
    const now = ctx.clock.now().toISOString()
    const contents = contentsOf({ body, items, currency, now })
    const payment = paymentAs(body, contents.priced.prices.with_tax)
    const id = body.id?.toLowerCase() ?? newId()
    await mustBeFree(ctx, id)
    const { order_number, external_ref, shipping, billing_address: billing } = body
    const shippingAddress = body.shipping_address ?? billing
    await addOrder(ctx, id, {
      buyer: await buyerOf(ctx, body),
      contents,
      values: {
        ...{ order_number, external_ref, shipping, is_manual: true, placed_at: placedAt(ctx, body) },
        ...{ billing_address: billing, shipping_address: shippingAddress },
      },
    })
    if (payment) {
      const paid = newPayment(payment, { reference: 'manual' })
      await changePayments(ctx, id, (locked) => settleNew(ctx, locked, paid, { gateway: 'manual' }))
    }
    mustAgree(body, (await ctx.store.findWhole(orders, id)) as WholeOrder)
    if (body.status === 'cancelled') await change(ctx, orders, [], id, { status: 'cancelled' })
    const row = (await ctx.store.findWhole(orders, id)) as WholeOrder
    return objectAnswer(201, orders, row, ctx, await includedText(ctx, row, { names: ['items'] }))
  },
})

/** When the order was placed, in whole seconds as all times of orders; undefined if the request does not say it. */
function placedAt({ clock }: Ctx, { meta }: ManualOrderBody): string | undefined {
  const sent = meta?.timestamps?.created_at
  if (sent === undefined) return undefined
  const ms = Math.floor(Date.parse(sent) / 1000) * 1000
  if (ms <= clock.now().getTime()) return new Date(ms).toISOString()
  const source = 'data.meta.timestamps.created_at'
  throw new Problem('invalid_field', `${source} must be in the past, not ${sent}.`, { source })
}

/** Refuses (409) the id of another order. */
async function mustBeFree({ store }: Ctx, id: string): Promise<void> {
  await store.advisoryLock(`order ${id}`)
  if (!(await store.find(orders, id))) return
  throw new Problem('conflict', `There is an order ${id} already.`, {
    source: 'data.id',
    meta: { order_id: id },
  })
}

/** As for a checkout; but a customer whom the request names with an address need not be in the store. */
async function buyerOf(ctx: Ctx, body: ManualOrderBody): Promise<Buyer> {
  const { id, name, email } = body.customer ?? {}
  const isElsewhere =
    id && isId(id) && name && email && !body.account?.id && !(await ctx.store.find(customerResource, id))
  if (!isElsewhere) return findBuyer(ctx, body, await lockBuyer(ctx, body))
  return { customerId: id.toLowerCase(), customer: { name, email } }
}

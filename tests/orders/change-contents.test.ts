import { afterAll, beforeAll, expect, test } from 'vitest'
import { changeContents } from '../../server/orders/order/change-contents.ts'
import type { OrderContents } from '../../server/orders/order/order-contents.ts'
import { act, moneyOf, orderOf, paid, takeManualPayments } from '../builders/payments/paying.ts'
import { openWorld, type World } from '../support/world.ts'

/** No operation changes the items of an order yet, beside an erasure: these deeds do it below the operations. */

let world: World
beforeAll(async () => {
  world = await openWorld({ alone: true })
  await takeManualPayments(world.admin)
})
afterAll(() => world.close())

/** The contents with another price of their only line. */
const costing =
  (amount: number) =>
  (contents: OrderContents): OrderContents => ({
    ...contents,
    contents: {
      ...contents.contents,
      lines: contents.contents.lines.map((line) => ({
        ...line,
        sku: 'OTHER',
        unit: { ...line.unit, amount },
      })),
    },
    priced: {
      ...contents.priced,
      lines: contents.priced.lines.map((line) => ({ ...line, value: amount })),
      prices: {
        ...contents.priced.prices,
        ...{ with_tax: amount, without_tax: amount, without_discount: amount },
      },
    },
  })

const change = (id: string, apply: (contents: OrderContents) => OrderContents) =>
  world.work.transaction((work) =>
    changeContents(work, [id], async (opened) =>
      opened.map(({ contents }) => ({ contents: apply(contents) })),
    ),
  )

const read = async (path: string) => (await world.admin.get(`/v2/orders/${path}`)).body

test('a deed that changes a line changes all that follows from it', async () => {
  const { id } = await orderOf(world.shopper, 1000)
  await paid(world.shopper, id)
  const before = await read(id)
  expect(await moneyOf(world.admin, id)).toEqual(['paid', 'complete', 1000, 0, 0])

  await change(id, costing(1500))
  expect(await moneyOf(world.admin, id)).toEqual(['partially_paid', 'incomplete', 1000, 0, 500])
  const { data, included } = await read(`${id}?include=items`)
  expect(data.meta.display_price.with_tax.amount).toBe(1500)
  expect(included.items[0].meta.display_price.with_tax.value.amount).toBe(1500)
  expect((await read('?filter=eq(product_sku,OTHER)')).data.map((one: { id: string }) => one.id)).toEqual([
    id,
  ])
  expect((await read('?filter=eq(with_tax,1500)')).data.map((one: { id: string }) => one.id)).toEqual([id])
  expect(data.meta.timestamps.created_at).toBe(before.data.meta.timestamps.created_at)

  await paid(world.shopper, id)
  expect(await moneyOf(world.admin, id)).toEqual(['paid', 'complete', 1500, 0, 0])
})

test('metrics count the new total, and the feed has it', async () => {
  const { rows: sums } = await world.sql(`SELECT sum(value) AS value FROM order_sum_changes`)
  const { id } = await orderOf(world.shopper, 700)
  await change(id, costing(900))
  const { rows } = await world.sql(`SELECT sum(value) AS value FROM order_sum_changes`)
  expect(Number(rows[0].value) - Number(sums[0].value)).toBe(900)
  const changes = await world.feed(
    `SELECT event, hidden#>>'{prices,with_tax}' AS total FROM changes WHERE source = 'orders' AND id = $1`,
    [id],
  )
  expect(changes.rows.map(({ event, total }) => [event, total])).toEqual([
    ['created', '700'],
    ['updated', '900'],
  ])
})

test('a line that the row shows nothing of is news of the order all the same', async () => {
  const { id } = await orderOf(world.shopper, 300)
  const versionOf = async () =>
    (await world.sql('SELECT version FROM orders WHERE id = $1', [id])).rows[0].version
  const version = await versionOf()
  await change(id, (contents) => contents)
  expect(await versionOf()).toBe(version)
  await change(id, ({ contents, ...others }) => ({
    ...others,
    contents: { ...contents, lines: contents.lines.map((line) => ({ ...line, description: 'Blue' })) },
  }))
  expect(await versionOf()).toBe(version + 1)
  expect((await read(`${id}/items`)).data[0].description).toBe('Blue')
})

test('a total below what payments hold is refused, and one that equals it is authorized', async () => {
  const { id } = await orderOf(world.shopper, 1000)
  const held = await paid(world.shopper, id, { method: 'authorize', amount: 600 })
  await expect(change(id, costing(500))).rejects.toMatchObject({
    status: 422,
    message: expect.stringContaining('cannot exceed the total'),
  })
  expect((await read(`${id}/items`)).data[0].meta.display_price.with_tax.value.amount).toBe(1000)
  await change(id, costing(600))
  expect(await moneyOf(world.admin, id)).toEqual(['authorized', 'processing', 0, 600, 0])
  expect((await act(world.admin, held, 'capture')).status).toBe(200)
  expect(await moneyOf(world.admin, id)).toEqual(['paid', 'complete', 600, 0, 0])
})

test('the total of a cancelled order changes, and its status stays', async () => {
  const { id } = await orderOf(world.shopper, 1000)
  await world.admin.put(`/v2/orders/${id}`, { data: { type: 'order', status: 'cancelled' } })
  await change(id, costing(800))
  expect((await moneyOf(world.admin, id)).slice(0, 2)).toEqual(['unpaid', 'cancelled'])
})

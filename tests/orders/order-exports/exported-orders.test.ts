import { afterAll, beforeAll, expect, test } from 'vitest'
import { forgetOrderJobs } from '../../../server/orders/order-exports/forget-order-jobs.ts'
import { order, wrap } from '../../builders/orders/buying.ts'
import { addPastOrders } from '../../builders/orders/past-orders.ts'
import { act, moneyOf, paid, takeManualPayments } from '../../builders/payments/paying.ts'
import { openWorld, type World } from '../../support/world.ts'
import { fileUrlOf, linesOf, runExport } from './exports.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
  await takeManualPayments(world.admin)
})
afterAll(() => world.close())

const orderOf = (amount: number) => order(world.shopper, wrap({ price: { amount } }))
const only = ({ id }: { readonly id: string }) => `eq(id,${id})`
async function lineOf(one: { readonly id: string }) {
  const lines = await linesOf(world.admin, await runExport(world.admin, only(one)))
  expect(lines.map(({ id }) => id)).toEqual([one.id])
  return lines[0]
}

test('a line has what was paid, held and refunded, and what is owed', async () => {
  const moneyIn = async (one: { readonly id: string }) => {
    const line = await lineOf(one)
    const { status, payment, paid_amount, authorized_amount, balance_owing_amount } = line
    const amounts = [paid_amount, authorized_amount, balance_owing_amount].map(Number)
    expect([payment, status, ...amounts]).toEqual(await moneyOf(world.admin, one.id))
    return [status, payment, ...amounts]
  }
  const [part, held, refunded, cancelled] = [
    await orderOf(1000),
    await orderOf(1000),
    await orderOf(1000),
    await orderOf(1000),
  ]
  await paid(world.admin, part.id, { amount: 300 })
  await paid(world.admin, held.id, { method: 'authorize' })
  await act(world.admin, await paid(world.admin, refunded.id), 'refund')
  await world.admin.put(`/v2/orders/${cancelled.id}`, { data: { type: 'order', status: 'cancelled' } })
  expect([
    await moneyIn(part),
    await moneyIn(held),
    await moneyIn(refunded),
    await moneyIn(cancelled),
  ]).toEqual([
    ['incomplete', 'partially_paid', 300, 0, 700],
    ['processing', 'authorized', 0, 1000, 0],
    ['complete', 'refunded', 1000, 0, 0],
    ['cancelled', 'unpaid', 0, 0, 1000],
  ])
})

test('an export of many orders has each of them once', { timeout: 120_000 }, async () => {
  const copied = await orderOf(5)
  const createdAt = '2021-03-01T00:00:00Z'
  const past = Array.from({ length: 1001 }, (_, i) => ({ createdAt, value: i }))
  const ids = await addPastOrders(world, copied.id, past)
  const lines = await linesOf(
    world.admin,
    await runExport(world.admin, 'lt(created_at,2021-04-01T00:00:00Z)'),
  )
  expect(lines.map(({ id }) => id).sort()).toEqual(ids.toSorted())
})

test('an anonymized order is exported without its buyer', async () => {
  const one = await orderOf(1000)
  await world.admin.put(`/v2/orders/${one.id}`, { data: { type: 'order', status: 'cancelled' } })
  await world.admin.post('/v2/orders/anonymize', { data: { order_ids: [one.id] } })
  const line = await lineOf(one)
  expect(line.with_tax_amount).toBe('1000')
  expect(JSON.stringify(line)).not.toMatch(/Ada|Byron|Mill Lane|CB7/)
})

test('a file is read with its link alone, and with no other', async () => {
  const one = await orderOf(1000)
  const job = await runExport(world.admin, only(one))
  const url = new URL(await fileUrlOf(world.admin, job))
  expect((await fetch(url)).status).toBe(200)
  const { origin, pathname, search } = url
  const other = await fileUrlOf(world.admin, await runExport(world.admin))
  const statuses = await Promise.all(
    [origin + pathname, `${origin}${new URL(other).pathname}${search}`].map(
      async (wrong) => (await fetch(wrong)).status,
    ),
  )
  expect(statuses.every((status) => status >= 400 && status < 500)).toBe(true)
  expect((await world.other.get(`/v2/jobs/${job.id}/file`)).status).toBe(404)
  expect((await world.shopper.get(`/v2/jobs/${job.id}/file`)).status).toBe(403)
})

test('a job is deleted a week after it ended, and one that has not ended stays', async () => {
  const [old, running, recent] = [
    await runExport(world.admin),
    await runExport(world.admin),
    await runExport(world.admin),
  ]
  const now = world.server.instance.clock.now().getTime()
  const age = (id: string, days: number, status: string) =>
    world.sql(
      `UPDATE order_jobs SET updated_at = $2, doc = jsonb_set(doc::jsonb, '{status}', to_jsonb($3::text))::json WHERE id = $1`,
      [id, new Date(now - days * 86_400_000), status],
    )
  await age(old.id, 7.1, 'FAILED')
  await age(running.id, 7.1, 'STARTED')
  await age(recent.id, 6.9, 'SUCCESS')
  await forgetOrderJobs.run(world.server.instance)
  const statusOf = async ({ id }: { readonly id: string }) => (await world.admin.get(`/v2/jobs/${id}`)).status
  expect([await statusOf(old), await statusOf(running), await statusOf(recent)]).toEqual([404, 200, 200])
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { order, wrap } from '../../builders/orders/buying.ts'
import type { Any } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'
import { linesOf, runExport } from './exports.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

test('an export has a line for each order that matches its filter', async () => {
  expect(await runExport(world.admin)).toMatchObject({
    status: 'FAILED',
    result: 'No results matched the supplied filter',
  })
  const orders = [
    await order(world.shopper, wrap({ price: { amount: 1500 }, quantity: 2 })),
    await order(world.shopper, wrap({ price: { amount: 700 } }), wrap({ sku: 'BOX; "large"' })),
  ]
  const all = await linesOf(world.admin, await runExport(world.admin))
  expect(
    all
      .map(({ id, with_tax_amount, balance_owing_amount, skus }: Any) => [
        id,
        with_tax_amount,
        balance_owing_amount,
        skus,
      ])
      .sort(),
  ).toEqual(
    [
      [orders[0].id, '3000', '3000', 'WRAP'],
      [orders[1].id, '1700', '1700', 'WRAP,BOX; "large"'],
    ].sort(),
  )
  expect(all[0]).toMatchObject({
    customer_email: 'ada@example.com',
    shipping_postcode: 'CB7 4AA',
    currency: 'USD',
  })
  const some = await linesOf(world.admin, await runExport(world.admin, 'gt(with_tax,2000)'))
  expect(some.map(({ id }) => id)).toEqual([orders[0].id])
})

test('a filter that the list of orders refuses is refused, and a job without a file says so', async () => {
  const refused = await world.admin.post('/v2/jobs', {
    data: { type: 'job', job_type: 'order_export', filter: 'eq(colour,red)' },
  })
  expect([refused.status, refused.body.errors[0].source]).toEqual([400, 'data.filter'])
  const failed = await runExport(world.admin, 'eq(with_tax,1)')
  const { status, body } = await world.admin.get(`/v2/jobs/${failed.id}/file`)
  expect([status, body.errors[0].detail]).toEqual([422, 'The job has no file. Its status is FAILED.'])
})

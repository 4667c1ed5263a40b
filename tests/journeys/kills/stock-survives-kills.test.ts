import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import {
  level,
  makeLocation,
  makeStock,
  mustAgree,
  stockOf,
  transactionsOf,
} from '../../builders/assortment/stock.ts'
import type { Client } from '../../support/client.ts'
import { ownDatabase } from '../../support/own-database.ts'
import { adminOf, key, newDirectory, serve, stop, stopAfterEach } from '../../support/process.ts'
import { secret } from '../../support/world.ts'

stopAfterEach()

const buyers = 32
const ordersOfEach = 4

test('32 buyers lose and gain nothing when the server is killed while they buy', async () => {
  const database = await ownDatabase()
  const settings = { ...key, DATABASE_URL: database.url, SUTLER_SECRET: secret }
  let server = serve(newDirectory(), settings)
  let admin: Client | undefined = await adminOf(await server.ready)

  await makeLocation(admin, 'north')
  const stock = 80
  const id = await makeStock(admin, { locations: { north: { available: stock } } })

  let [answered, lost] = [0, 0]
  /** Repeats an order until a server responds. Its key makes it run once. */
  const order = async (): Promise<number> => {
    const headers = { 'idempotency-key': randomUUID() }
    const data = { action: 'allocate', quantity: 1, location: 'north' }
    for (;;) {
      while (!admin) await setTimeout(50)
      const reply = await admin.post(transactionsOf(id), { data }, headers).catch(() => undefined)
      if (reply && [200, 422].includes(reply.status)) {
        answered += 1
        return reply.status
      }
      lost += 1
      await setTimeout(20)
    }
  }
  const buying = Promise.all(
    Array.from({ length: buyers }, async () => {
      const statuses: number[] = []
      for (let i = 0; i < ordersOfEach; i++) statuses.push(await order())
      return statuses
    }),
  )
  while (answered < 40) await setTimeout(2)
  server.child.kill('SIGKILL')
  admin = undefined
  await server.exit
  server = serve(newDirectory(), settings)
  admin = await adminOf(await server.ready)
  const bought = (await buying).flat().filter((status) => status === 200).length
  expect(lost, 'orders that were not answered at first').toBeGreaterThan(0)
  expect(bought, 'orders that were promised').toBe(stock)
  expect(await stockOf(admin, id)).toEqual({ ...level(0, stock), locations: { north: level(0, stock) } })
  const { meta } = (await admin.get(transactionsOf(id))).body
  expect(meta.results.total, 'transactions: the first one, and one for each order').toBe(stock + 1)

  await mustAgree(database)
  await stop(server.child)
  await database.drop()
}, 180_000)

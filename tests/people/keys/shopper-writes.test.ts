import { afterAll, beforeAll, expect, test } from 'vitest'
import { signUp } from '../../builders/people/sign-up.ts'
import { openWorld, type World } from '../../support/world.ts'

/** Writes of shoppers count by address. */

const max = 8
let laterMs = 0
let world: World
beforeAll(async () => {
  world = await openWorld({
    clock: { now: () => new Date(Date.now() + laterMs) },
    env: { SUTLER_TRUST_PROXY: 'loopback', SUTLER_SHOPPER_WRITES_PER_MINUTE: String(max) },
  })
})
afterAll(() => world.close())

const from = (n: number) => ({ 'x-forwarded-for': `198.51.100.${n}` })
const write = (headers: Record<string, string>, client = world.shopper) =>
  client.post('/v2/carts', { data: {} }, headers)

/** How many writes of an address are answered, before one is refused. */
async function useUp(headers: Record<string, string>): Promise<number> {
  for (let n = 0; ; n++) {
    const { status, body, headers: answered } = await write(headers)
    if (status === 201) continue
    expect([status, body.errors[0].code, Number(answered.get('retry-after')) > 0]).toEqual([
      429,
      'rate_limited',
      true,
    ])
    return n
  }
}

test('beyond the limit writes of an address are refused for the rest of the minute, and reads are not', async () => {
  expect(await useUp(from(1))).toBe(max)
  expect((await world.shopper.get('/v2/carts/any', from(1))).status).toBe(200)
  const others = await world.shopper.put('/v2/carts/any', { data: {} }, from(1))
  const removed = await world.shopper.delete('/v2/carts/any', from(1))
  expect([others.status, removed.status]).toEqual([429, 429])
  expect(await useUp(from(2))).toBe(max)
  laterMs += 60_000
  expect(await useUp(from(1))).toBe(max)
})

test('shoppers who are signed in count with the others of their address', async () => {
  const ada = await signUp(world)
  await useUp(from(3))
  expect((await write({ ...from(3), ...ada.headers })).status).toBe(429)
})

test('what a server sends with the secret of a key does not count, also for a shopper', async () => {
  const ada = await signUp(world)
  const headers = { ...from(4), ...ada.headers }
  for (let n = 0; n < 2 * max; n++) expect((await write(headers, world.admin)).status).toBe(201)
  expect(await useUp(from(4))).toBe(max)
})

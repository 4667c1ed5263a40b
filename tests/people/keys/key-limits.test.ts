import { randomUUID } from 'node:crypto'
import { hash } from '@node-rs/argon2'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { rates } from '../../../server/kernel/attempts/rates.ts'
import { createFirstKey } from '../../../server/people/index.ts'
import { MovingClock } from '../../support/moving-clock.ts'
import { openWorld, type World } from '../../support/world.ts'

const clock = new MovingClock()
let world: World
beforeAll(async () => {
  world = await openWorld({ clock, env: { SUTLER_TRUST_PROXY: 'loopback' } })
})
afterAll(() => world.close())

/** A new key, while no earlier guess counts any more. */
let key: { readonly id: string; readonly secret: string }
beforeEach(async () => {
  clock.forward((2 * rates.wrongKeys.windowMs) / 1000)
  key = { id: randomUUID(), secret: `the secret of ${randomUUID()}` }
  await create(key.id, key.secret)
})

const create = (id: string, secret: string) =>
  createFirstKey(world.server.instance.database, world.storeId, id, secret, clock.now())

const ask = (id: string, secret: string, from = '192.0.2.1') =>
  world.nobody.send('POST', '/oauth/access_token', {
    body: `${new URLSearchParams({ grant_type: 'client_credentials', client_id: id, client_secret: secret })}`,
    headers: { 'x-forwarded-for': from },
  })
const statusesOf = async (times: number, one: () => ReturnType<typeof ask>) =>
  Promise.all(Array.from({ length: times }, async () => (await one()).status))

const stored = async (id: string): Promise<string> => {
  const text = `SELECT hidden->>'secret_hash' AS hash FROM application_keys WHERE client_id = $1`
  return (await world.sql(text, [id])).rows[0].hash
}
/** Stores the key as an earlier version did. */
const keepSlowly = async (id: string, secret: string) =>
  world.sql(
    `UPDATE application_keys SET hidden = json_build_object('secret_hash', $2::text) WHERE client_id = $1`,
    [id, await hash(secret)],
  )

const { max } = rates.wrongKeys

describe('wrong client ids and secrets are limited by address', () => {
  test.each(['wrong secrets', 'unknown client ids'])('%s', async (which) => {
    const wrong = (from?: string) =>
      which === 'wrong secrets' ? ask(key.id, 'wrong', from) : ask('nobody', 'wrong', from)
    const statuses = await statusesOf(max + 5, wrong)
    expect(statuses.filter((status) => status === 401)).toHaveLength(max)
    const { status, headers } = await wrong()
    expect(status).toBe(429)
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await wrong('192.0.2.2')).status).toBe(401)
    // Others at the address of a guesser can still sign in.
    expect((await ask(key.id, key.secret)).status).toBe(200)
    clock.forward(rates.wrongKeys.windowMs / 1000)
    expect((await wrong()).status).toBe(401)
  })

  test('correct client ids and secrets are not limited', async () => {
    const statuses = await statusesOf(3 * max, () => ask(key.id, key.secret))
    expect(new Set(statuses)).toEqual(new Set([200]))
  })

  test('after too many guesses, guesses at a slow hash are refused unchecked', async () => {
    await keepSlowly(key.id, 'short')
    const statuses = await statusesOf(max + 5, () => ask(key.id, 'wrong'))
    expect(statuses.filter((status) => status === 401)).toHaveLength(max)
    expect((await ask(key.id, 'short')).status).toBe(429)
    expect((await ask(key.id, 'short', '192.0.2.2')).status).toBe(200)
  })
})

describe('a secret that an earlier version hashed slowly', () => {
  test('is accepted, and its first use stores a fast hash', async () => {
    await keepSlowly(key.id, key.secret)
    expect((await ask(key.id, 'wrong')).status).toBe(401)
    expect(await stored(key.id)).toMatch(/^\$argon2id\$/)
    expect((await ask(key.id, key.secret)).status).toBe(200)
    expect(await stored(key.id)).toMatch(/^sha256\$/)
    expect((await ask(key.id, key.secret)).status).toBe(200)
    expect((await ask(key.id, 'wrong')).status).toBe(401)
  })

  test('keeps its slow hash if it is short', async () => {
    await keepSlowly(key.id, 'short')
    for (let times = 0; times < 2; times++) expect((await ask(key.id, 'short')).status).toBe(200)
    expect(await stored(key.id)).toMatch(/^\$argon2id\$/)
  })
})

describe('the key of the first start', () => {
  test('needs a secret of 32 characters or more', async () => {
    await expect(create('new', 'x'.repeat(31))).rejects.toThrow(
      /^SUTLER_CLIENT_SECRET must have at least 32 char/,
    )
    await create('new', 'x'.repeat(32))
    expect((await ask('new', 'x'.repeat(32))).status).toBe(200)
    await expect(create('new', 'short')).rejects.toThrow(/must have at least 32/)
    await create('new', 'y'.repeat(32))
    expect((await ask('new', 'y'.repeat(32))).status).toBe(200)
    expect((await ask('new', 'x'.repeat(32))).status).toBe(401)
  })

  test('with a short secret from an earlier version is accepted at the next start', async () => {
    await keepSlowly(key.id, 'short')
    await create(key.id, 'short')
    expect((await ask(key.id, 'short')).status).toBe(200)
  })
})

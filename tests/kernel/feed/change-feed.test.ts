import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { record } from '../../../server/kernel/feed/record.ts'
import { holdFeed } from '../../../server/kernel/feed/sequence.ts'
import { addressOf, create, erase, makeCustomer, makeMember } from '../../builders/personal-data/people.ts'
import { MovingClock } from '../../support/moving-clock.ts'
import { body } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
const clock = new MovingClock()
beforeAll(async () => {
  world = await openWorld({ clock, env: { SUTLER_TOKEN_LIFETIME_S: '86400' } })
})
afterAll(() => world.close())

interface Change {
  readonly position: number
  readonly event: string
  readonly source: string
  readonly id: string
  readonly [column: string]: unknown
}

const columns = 'position::int, event, type, source, id, scope, at, actor, request_id, doc'

async function changesOf(...ids: readonly string[]): Promise<readonly Change[]> {
  const { rows } = await world.feed(
    `SELECT ${columns} FROM changes WHERE id = ANY($1) OR scope = ANY($1) ORDER BY store_id, position`,
    [ids],
  )
  return rows
}

const makeAccount = (name: string) => create(world.admin, '/v2/accounts', 'account', { name })

describe('the order of the feed', () => {
  test('tombstones of addresses follow their creations, and precede the tombstone of their account', async () => {
    let late = 0
    for (let round = 0; round < 25; round++) {
      const account = await makeAccount(`A ${round}`)
      const adding = Array.from({ length: 4 }, (_, n) =>
        world.admin.post(`${account.path}/addresses`, body('address', addressOf(`${n}`))),
      )
      await sleep(round % 5)
      expect((await world.admin.delete(account.path)).status).toBe(204)
      const statuses = (await Promise.all(adding)).map(({ status }) => status)
      expect(statuses.filter((status) => status !== 201 && status !== 404)).toEqual([])
      late += statuses.filter((status) => status === 404).length
      const alive = new Set<string>()
      for (const { event, id } of await changesOf(account.id)) {
        if (event === 'created') {
          expect(id === account.id || alive.has(account.id)).toBe(true)
          alive.add(id)
        } else {
          expect(event).toBe('deleted')
          expect(alive.delete(id)).toBe(true)
          if (id === account.id) expect([...alive]).toEqual([])
        }
      }
      expect([...alive]).toEqual([])
    }
    // Both happened: those that came in time were deleted with the account.
    expect(late).toBeGreaterThan(0)
    expect(late).toBeLessThan(100)
  })

  test('a cascade is recorded children first, at any depth, under the author of the delete', async () => {
    const member = await makeMember(world.admin, 'ada')
    const realm = member.user.path.split('/').slice(0, 4).join('/')
    const { rows } = await world.sql(
      'SELECT * FROM user_authentication_password_profile_infos WHERE id = $1',
      [member.password.id],
    )
    await world.sql(
      `BEGIN; SELECT set_config('sutler.by', 'someone a-request 2030-05-06T07:08:09.123Z', true);
       DELETE FROM authentication_realms WHERE id = '${realm.split('/').at(-1)}'; COMMIT`,
    )
    const ids = [realm.split('/').at(-1) as string, member.user.id, member.password.id, member.oidc.id]
    const { rows: fed } = await world.feed(
      `SELECT id, actor, request_id, at FROM changes WHERE event = 'deleted' AND id = ANY($1) ORDER BY position`,
      [[...ids, rows[0].password_profile_id]],
    )
    const place = (id: string) => fed.findIndex((one) => one.id === id)
    const [realmId, userId, passwordId, oidcId] = ids as [string, string, string, string]
    expect(fed).toHaveLength(5)
    for (const [child, parent] of [
      [userId, realmId],
      [passwordId, userId],
      [passwordId, rows[0].password_profile_id],
      [oidcId, userId],
      [rows[0].password_profile_id, realmId],
    ]) {
      expect(place(child)).toBeLessThan(place(parent))
    }
    for (const { actor, request_id, at } of fed) {
      expect([actor, request_id, at.toISOString()]).toEqual([
        'someone',
        'a-request',
        '2030-05-06T07:08:09.123Z',
      ])
    }
  })

  test('a reader does not miss a write that commits late', async () => {
    const [early, late] = [randomUUID(), randomUUID()]
    const insert = (id: string) =>
      `INSERT INTO accounts (store_id, id, created_at, updated_at, doc)
       VALUES ('${world.storeId}', '${id}', now(), now(), '{"name": "x"}')`
    const slow = world.sql(`BEGIN; ${insert(late)}; SELECT pg_sleep(0.5); COMMIT`)
    await sleep(200)
    await world.sql(insert(early))
    const [first] = await changesOf(early)
    await slow
    const [second] = await changesOf(late)
    expect(second?.position).toBe((first?.position ?? 0) + 1)
  })
})

describe('positions are assigned', () => {
  const waiting = async () => Number((await world.sql('SELECT count(*) AS n FROM fresh_changes')).rows[0].n)

  test('by the writing process, soon', async () => {
    const { id } = await makeAccount('Soon')
    const fed = async () => (await world.sql('SELECT FROM changes WHERE id = $1', [id])).rowCount
    await expect.poll(fed, { interval: 5, timeout: 900 }).toBe(1)
  })

  test('to changes that other processes have left, a little later, in every store', async () => {
    const ids = [randomUUID(), randomUUID()]
    await world.sql(
      `INSERT INTO accounts (store_id, id, created_at, updated_at, doc)
       SELECT s.id, t.id, now(), now(), '{"name": "left"}' FROM (SELECT id, row_number() OVER () AS n FROM stores) s
       JOIN unnest($1::uuid[]) WITH ORDINALITY t (id, n) USING (n)`,
      [ids],
    )
    await expect.poll(waiting, { timeout: 10_000 }).toBe(0)
    expect(await changesOf(...ids)).toMatchObject([{ actor: 'system' }, { actor: 'system' }])
  })

  test('to many changes in batches, and to another store meanwhile', async () => {
    await world.sql(
      `INSERT INTO accounts (store_id, id, created_at, updated_at, doc)
       SELECT $1, gen_random_uuid(), now(), now(), '{"name": "many"}' FROM generate_series(1, 20000)`,
      [world.storeId],
    )
    const theirs = await create(world.other, '/v2/accounts', 'account', { name: 'Theirs' })
    const fed = async () => (await world.sql('SELECT FROM changes WHERE id = $1', [theirs.id])).rowCount
    await expect.poll(fed, { interval: 5, timeout: 5000 }).toBe(1)
    await expect.poll(waiting, { timeout: 20_000 }).toBe(0)
    const { rows } = await world.sql(
      `SELECT f.position::int, min(c.position)::int AS first, max(c.position)::int AS last, count(*)::int AS n
       FROM feeds f JOIN changes c USING (store_id) GROUP BY f.store_id, f.position`,
    )
    for (const { position, first, last, n } of rows) expect([first, last, n]).toEqual([1, position, position])
  })

  test('during an old snapshot too, without scanning deleted rows each time', async () => {
    const { instance } = world.server
    await instance.database.transaction(async (transaction) => {
      const run = (text: string) => transaction.run({ text, values: [], once: true })
      await run('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ')
      await run('SELECT 1 FROM stores')
      const { rows: before } = await world.sql('SELECT done FROM feeds WHERE store_id = $1', [world.storeId])
      const goesOn = async () => {
        await makeAccount('Meanwhile')
        await expect.poll(waiting, { interval: 5, timeout: 10_000 }).toBe(0)
        const { rows: now } = await world.sql(
          `SELECT done, (SELECT last_value FROM fresh_changes_seq_seq) - done AS open FROM feeds WHERE store_id = $1`,
          [world.storeId],
        )
        return Number(now[0].done) > Number(before[0].done) && Number(now[0].open) < 5
      }
      // Not before all other writers have ended, such as the merge of so many totals, and those of other tests.
      await expect.poll(goesOn, { timeout: 60_000 }).toBe(true)
    })
  }, 90_000)

  test('after a restore without the sequence', async () => {
    await makeAccount('Before')
    await world.feed('SELECT')
    await world.sql(`UPDATE feeds SET done = 1000000000; SELECT pg_sleep(1.5)`)
    const { id } = await makeAccount('After')
    const fed = async () => (await world.sql('SELECT FROM changes WHERE id = $1', [id])).rowCount
    // It is looked for each second; more rarely where looking takes long.
    await expect.poll(fed, { timeout: 60_000 }).toBe(1)
  }, 90_000)
})

describe('a change has', () => {
  test('the time by the store’s clock, for deletions too', async () => {
    clock.forward(3600)
    const { id, path } = await makeAccount('Timely')
    clock.forward(60)
    await world.admin.delete(path)
    const [created, deleted] = (await changesOf(id)).map(({ at }) => (at as Date).getTime())
    expect((deleted ?? 0) - (created ?? 0)).toBeGreaterThanOrEqual(60_000)
    expect((deleted ?? 0) - clock.now().getTime()).toBeLessThanOrEqual(0)
    expect(clock.now().getTime() - (deleted ?? 0)).toBeLessThan(60_000)
  })

  test('which resource it is about, where several share a type', async () => {
    const { customer, address } = await makeCustomer(world.admin, 'berta')
    const account = await makeAccount('Bakery')
    const other = await create(world.admin, `${account.path}/addresses`, 'address', addressOf('x'))
    await world.admin.put('/v2/settings', { data: { type: 'settings', page_length: 30 } })
    await world.admin.put('/v2/settings/cart', { data: { type: 'settings', cart_expiry_days: 8 } })
    const sources = async (...ids: string[]) =>
      (await changesOf(...ids)).map(({ type, source }) => `${type} in ${source}`)
    expect(await sources(customer.id, address.id)).toEqual([
      'customer in customers',
      'address in customer_addresses',
    ])
    expect(await sources(other.id)).toEqual(['address in account_addresses'])
    expect(new Set(await sources(world.storeId))).toEqual(
      new Set(['settings in singletons.settings', 'settings in singletons.cart-settings']),
    )
  })

  test('the event by name, where it is not a write of the object', async () => {
    const id = randomUUID()
    await world.work.transaction(async (work) => {
      await record(work, { event: 'gadget.sold', type: 'gadget', source: 'gadgets', id, doc: { n: 1 } })
    })
    const { requestId, who } = world.work
    expect(await changesOf(id)).toMatchObject([
      {
        event: 'gadget.sold',
        type: 'gadget',
        source: 'gadgets',
        doc: { n: 1 },
        actor: who.actor,
        request_id: requestId,
      },
    ])
    const nameless = record(world.work, { event: 'sold', type: 'gadget', id, doc: {} })
    await expect(nameless).rejects.toMatchObject({ constraint: 'fresh_changes_event_check' })
  })
})

describe('an erasure', () => {
  const secrets = async (name: string) => {
    const { rows } = await world.sql(
      `SELECT doc::text FROM fresh_changes WHERE strpos(doc::text, $1) > 0
       UNION ALL SELECT doc::text FROM changes WHERE strpos(doc::text, $1) > 0`,
      [name],
    )
    return rows.length
  }

  test('finds changes that were written just before it, and while it waits', async () => {
    for (let round = 0; round < 5; round++) {
      const name = `q${randomUUID().slice(0, 8)}`
      const { customer, address } = await makeCustomer(world.admin, name)
      // Another transaction locks and changes its row, and commits after the erasure has begun.
      const slow = world.sql(
        `BEGIN; UPDATE customer_addresses SET version = version + 1, doc = json_build_object('line_1', 'late ${name}')
         WHERE id = '${address.id}'; SELECT pg_sleep(${0.05 * round}); COMMIT`,
      )
      const gone = await create(world.admin, `${customer.path}/addresses`, 'address', addressOf(name))
      await world.admin.delete(gone.path)
      expect(await erase(world.admin, 'customer', customer.id)).toMatchObject({ status: 'SUCCESS' })
      await slow
      expect(await secrets(name)).toBe(0)
      await world.feed('SELECT')
      expect(await secrets(name)).toBe(0)
      const left = await changesOf(customer.id)
      expect(left.map(({ event, source }) => `${event} ${source}`).sort()).toEqual([
        'deleted customer_addresses',
        'deleted customer_addresses',
        'deleted customers',
      ])
    }
  })

  test('prevents others from assigning positions in its store until it ends', async () => {
    const { id } = await makeAccount('Fresh')
    await world.work.transaction(async ({ store }) => {
      await holdFeed(store)
      const { rows } = await world.sql('SELECT position FROM feeds WHERE store_id = $1', [world.storeId])
      await makeAccount('Held')
      const theirs = await create(world.other, '/v2/accounts', 'account', { name: 'Not held' })
      await expect
        .poll(async () => (await world.sql('SELECT FROM changes WHERE id = $1', [theirs.id])).rowCount)
        .toBe(1)
      await sleep(300)
      const { rows: later } = await world.sql('SELECT position FROM feeds WHERE store_id = $1', [
        world.storeId,
      ])
      expect(later).toEqual(rows)
    })
    await expect
      .poll(
        async () =>
          (await world.sql('SELECT FROM fresh_changes WHERE store_id = $1', [world.storeId])).rowCount,
      )
      .toBe(0)
    expect(await changesOf(id)).toHaveLength(1)
  })
})

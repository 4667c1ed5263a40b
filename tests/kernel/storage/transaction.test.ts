import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { Database } from '../../../server/kernel/storage/database.ts'
import { Store } from '../../../server/kernel/storage/store.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ alone: true })
})
afterAll(() => world.close())

test.each(['before a statement', 'before it is committed'])(
  'a transaction that loses the database %s is an outage, not a bug, and the next one works',
  async (when) => {
    const { database } = world.server.instance
    const lost = database.transaction(async (transaction) => {
      const [row] = await transaction.run({ text: 'SELECT pg_backend_pid()', values: [] })
      await world.sql('SELECT pg_terminate_backend($1::int, 5000)', [row?.[0]])
      if (when.includes('statement')) await transaction.run({ text: 'SELECT 1', values: [] })
    })
    await expect(lost).rejects.toMatchObject({ code: 'unavailable', status: 503 })
    const one = await database.transaction((transaction) => transaction.run({ text: 'SELECT 1', values: [] }))
    expect(one).toEqual([['1']])
  },
)

test('a database whose host name does not resolve while it restarts counts as an outage', async () => {
  const database = new Database('postgres://sutler@no-such-host.invalid/sutler', 1)
  const lost = database.run({ text: 'SELECT 1', values: [] })
  await expect(lost).rejects.toMatchObject({ code: 'unavailable', status: 503 })
  await database.close()
})

/** What each connection was asked to do with accounts meanwhile, by its first word. */
async function sent(work: () => Promise<unknown>): Promise<string[][]> {
  const texts = new Map<unknown, string[]>()
  const query = pg.Client.prototype.query
  const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
    this: pg.Client,
    ...args: unknown[]
  ) {
    texts.set(this, [...(texts.get(this) ?? []), (args[0] as { text: string }).text])
    return query.apply(this, args as never) as never
  } as never)
  try {
    await work()
  } finally {
    spy.mockRestore()
  }
  const own = /^(BEGIN|COMMIT)| accounts |idempotency_keys|advisory/
  // Other connections may work in the background meanwhile.
  return [...texts.values()]
    .filter((all) => all.some((text) => / accounts /.test(text)))
    .map((all) => all.filter((text) => own.test(text)).map((text) => text.split(' ', 1)[0] as string))
}

const account = (more: object) => ({ data: { type: 'account', name: 'One', ...more } })

test('a write without locks is one statement, and a write after a lock is in its transaction', async () => {
  const ids: string[] = []
  const create = async (more: object) => {
    const { status, body } = await world.admin.post('/v2/accounts', account(more))
    expect(status, JSON.stringify(body)).toBe(201)
    ids.push(body.data.id)
  }
  expect(await sent(() => create({}))).toEqual([['INSERT']])
  const [parent] = ids
  expect(await sent(() => create({ parent_id: parent }))).toEqual([['SELECT', 'SELECT', 'INSERT', 'COMMIT']])
  const change = async () => {
    expect(
      (await world.admin.put(`/v2/accounts/${parent}`, account({ legal_name: 'Changed Ltd' }))).status,
    ).toBe(200)
  }
  const [first, second] = await sent(change)
  expect([first, second].sort()).toEqual([['SELECT'], ['UPDATE']])
  const again = { 'idempotency-key': 'in-one' }
  const repeatable = async () => world.admin.post('/v2/accounts', account({}), again)
  expect((await sent(repeatable))[0]).toEqual(['SELECT', 'SELECT', 'INSERT', 'INSERT', 'COMMIT'])
  for (const id of ids.reverse()) {
    expect((await world.admin.delete(`/v2/accounts/${id}`)).status).toBe(204)
  }
})

test('a row that a rule locks stays locked until the write', async () => {
  const { body } = await world.admin.post('/v2/accounts', account({}))
  const parent = body.data.id as string
  const children = Array.from({ length: 20 }, () =>
    world.admin.post('/v2/accounts', account({ parent_id: parent })),
  )
  const gone = world.admin.delete(`/v2/accounts/${parent}`)
  const [{ status }, ...replies] = await Promise.all([gone, ...children])
  const there = replies.filter((one) => one.status === 201)
  expect(status).toBe(there.length > 0 ? 409 : 204)
  // Without the lock a child would meet the foreign key: its parent went after the rule had looked.
  for (const one of replies) expect([201, 404]).toContain(one.status)
})

test('concurrent changes of one object are all kept', async () => {
  const { body } = await world.admin.post('/v2/accounts', account({}))
  const path = `/v2/accounts/${body.data.id}`
  const clients = Array.from({ length: 32 }, async () => {
    const statuses = new Set<number>()
    for (let n = 0; n < 8; n++) statuses.add((await world.admin.put(path, account({}))).status)
    return statuses
  })
  for (const statuses of await Promise.all(clients)) expect([...statuses]).toEqual([200])
}, 120_000)

test('writes for later are stored in order with the next statement, whose rows alone are returned', async () => {
  const { database } = world.server.instance
  await world.sql('CREATE TABLE kept (n integer PRIMARY KEY)')
  const keep = (n: number) => ({ text: 'INSERT INTO kept VALUES ($1) RETURNING n', values: [n] })
  const keepThree = (first: number) =>
    database.transaction(async (transaction) => {
      await transaction.runLater(keep(first))
      const rows = await transaction.run({ text: 'SELECT max(n) FROM kept', values: [] })
      await transaction.runLater(keep(first + 1))
      await transaction.runLater(keep(first + 2))
      return rows
    })
  // A connection sees their text for the first time, and then has it prepared.
  for (const first of [1, 4, 7]) expect(await keepThree(first)).toEqual([[String(first)]])
  // The last one fails with COMMIT.
  await expect(keepThree(5)).rejects.toMatchObject({ constraint: 'kept_pkey' })
  await expect(keepThree(8)).rejects.toMatchObject({ constraint: 'kept_pkey' })
  await expect(
    database.transaction(async (transaction) => {
      await transaction.run({ text: 'SELECT 1', values: [] })
      await transaction.runLater(keep(20))
      await transaction.runLater(keep(9))
    }),
  ).rejects.toMatchObject({ constraint: 'kept_pkey' })
  expect((await world.sql('SELECT count(*)::int AS n FROM kept')).rows[0].n).toBe(9)
})

test('writes for later inside of a part that is undone are undone', async () => {
  const { instance, storeId } = { instance: world.server.instance, storeId: world.storeId }
  await world.sql('CREATE TABLE undone (n integer PRIMARY KEY)')
  const store = new Store(storeId, instance.database, () => new Date(), 'test test')
  const keep = (inside: Store, n: number) =>
    inside.later().run('INSERT INTO undone SELECT $2::int FROM (SELECT $1::uuid) s', n)
  await store.transaction(async (inside) => {
    await keep(inside, 1)
    const part = inside.attempt(async () => {
      await keep(inside, 2)
      await keep(inside, 1)
      await inside.run('SELECT $1::uuid')
    })
    await expect(part).rejects.toMatchObject({ constraint: 'undone_pkey' })
    await keep(inside, 3)
  })
  expect((await world.sql('SELECT n FROM undone ORDER BY n')).rows).toEqual([{ n: 1 }, { n: 3 }])
})

const quietly = (text: string) => ({ text, values: [] })

test('a transaction that an error has aborted does not commit unseen', async () => {
  const { database } = world.server.instance
  const undone = database.transaction(async (transaction) => {
    await transaction.run(quietly("SELECT set_config('sutler.by', 'one', true)"))
    await transaction.run(quietly('SELECT 1/0')).catch(() => {})
  })
  await expect(undone).rejects.toThrow('COMMIT has undone the transaction')
})

test('a write for later that fails undoes what is sent with it, and its own refusal says why', async () => {
  const { database } = world.server.instance
  await world.sql('CREATE TABLE later_writes (n integer UNIQUE CHECK (n > 0))')
  const put = (n: number, why?: string) => ({
    ...{ text: 'INSERT INTO later_writes VALUES ($1)', values: [n] },
    refusal: why === undefined ? undefined : () => new Error(why),
  })
  const write = (...numbers: readonly number[]) =>
    database.transaction(async (transaction) => {
      for (const n of numbers) await transaction.runLater(put(n, `${n} is refused`))
    })
  // A connection prepares a text alone first, and sends it with others then.
  for (let i = 1; i <= 20; i++) await write(i)
  await expect(write(21, -1, 22)).rejects.toThrow('-1 is refused')
  await expect(write(-1, -2)).rejects.toThrow('-1 is refused')
  await expect(write(23, 1)).rejects.toThrow('1 is refused')
  expect((await world.sql('SELECT max(n)::int AS most FROM later_writes')).rows).toEqual([{ most: 20 }])
  await world.sql('DROP TABLE later_writes')
})

test('statements that are called without a wait go in one message, and see what was committed during its locks', async () => {
  const { database } = world.server.instance
  await world.sql('CREATE TABLE bills (n integer PRIMARY KEY); CREATE TABLE coins (bill integer)')
  await world.sql('INSERT INTO bills VALUES (1)')
  const lock = { text: 'SELECT n FROM bills WHERE n = $1 FOR UPDATE', values: [1] }
  const count = { text: 'SELECT count(*) FROM coins WHERE bill = $1', values: [1] }
  const pay = () =>
    database.transaction(async (transaction) => {
      const [[bill], [counted]] = await Promise.all([transaction.run(lock), transaction.run(count)])
      await transaction.run({ text: 'INSERT INTO coins VALUES ($1)', values: [1] })
      return [bill?.[0], Number(counted?.[0])]
    })
  const paid = await Promise.all(Array.from({ length: 30 }, pay))
  expect(paid.map(([, counted]) => counted as number).sort((a, b) => a - b)).toEqual(paid.map((_, i) => i))
  expect(paid.every(([bill]) => bill === '1')).toBe(true)
  const wrong = { text: 'SELECT 1 / $1::int', values: [0] }
  const failing = database.transaction((transaction) =>
    Promise.all([transaction.run(lock), transaction.run({ ...wrong, refusal: () => new Error('by zero') })]),
  )
  await expect(failing).rejects.toThrow('by zero')
  await world.sql('DROP TABLE bills, coins')
})

test('a write with COMMIT that finds no row begins its transaction again', async () => {
  const { database } = world.server.instance
  await world.sql('CREATE TABLE ends (id integer PRIMARY KEY, n integer)')
  await world.sql('INSERT INTO ends VALUES (1, 2)')
  let attempts = 0
  const rows = await database.transaction(async (transaction) => {
    attempts += 1
    await transaction.run({ text: 'INSERT INTO ends VALUES ($1, 0)', values: [10] })
    const text = 'UPDATE ends SET n = n + 1 WHERE id = 1 AND n = $1 RETURNING id, n'
    return transaction.lastWithCommit({ text, values: [attempts] })
  })
  expect([attempts, rows]).toEqual([2, [['1', '3']]])
  expect((await world.sql('SELECT id, n FROM ends ORDER BY id')).rows).toEqual([
    { id: 1, n: 3 },
    { id: 10, n: 0 },
  ])
  await world.sql('DROP TABLE ends')
})

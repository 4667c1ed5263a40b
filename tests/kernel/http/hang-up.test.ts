import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { openWorld, type World } from '../../support/world.ts'

const connections = 10

let world: World
beforeAll(async () => {
  world = await openWorld({ env: { SUTLER_DATABASE_CONNECTIONS: String(connections) } })
})
afterAll(() => world.close())

/** A client of its own that sends a request and does not wait for the answer. */
function send(method: string, path: string, body = ''): Socket {
  const { hostname, port } = new URL(world.url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  socket.write(
    `${method} ${path} HTTP/1.1\r\nhost: sutler\r\nauthorization: Bearer ${world.admin.token}\r\n` +
      `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
  onTestFinished(() => void socket.destroy())
  return socket
}

const soon = { timeout: 20_000 }

/** How many statements wait for a lock on the table. */
const waiting = async (table: string) =>
  (
    await world.sql(
      `SELECT 1 FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%' || $1 || '%'`,
      [table],
    )
  ).rowCount

/** Nobody reads or writes the table until the function that is given back is called. */
async function lock(table: string): Promise<() => Promise<unknown>> {
  const before = new Set((await holders()).map(({ pid }) => pid))
  const held = world.sql(`BEGIN; LOCK TABLE ${table}; SELECT pg_sleep(600); COMMIT`).catch(() => {})
  await expect.poll(async () => (await holders()).filter(({ pid }) => !before.has(pid)).length, soon).toBe(1)
  const holder = (await holders()).find(({ pid }) => !before.has(pid))
  let released: Promise<unknown> | undefined
  const release = () => {
    released ??= world.sql('SELECT pg_terminate_backend($1::int)', [holder?.pid]).then(() => held)
    return released
  }
  onTestFinished(async () => void (await release()))
  return release
}

const holders = async (): Promise<{ pid: number }[]> =>
  (
    await world.sql(
      `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'`,
    )
  ).rows

const filtered = '/v2/accounts?filter=eq(name,x)'
const aToken = () =>
  world.nobody.post('/oauth/access_token', {
    grant_type: 'client_credentials',
    client_id: world.key.id,
    client_secret: world.key.secret,
  })

test('slow lists use only a part of the connections, and end when their client hangs up', async () => {
  const customer = { data: { type: 'customer', name: 'Ada', email: 'ada@example.com' } }
  const release = await lock('accounts')
  const clients = Array.from({ length: 32 }, () => send('GET', filtered))
  await expect.poll(() => waiting('accounts'), soon).toBe(connections / 2)
  // The others do what they have to do meanwhile.
  expect((await aToken()).status).toBe(200)
  const reply = await world.admin.post('/v2/customers', customer)
  expect(reply.status).toBe(201)
  expect((await world.admin.get(`/v2/customers/${reply.body.data.id}`)).status).toBe(200)
  expect(await waiting('accounts')).toBe(connections / 2)

  for (const client of clients) client.destroy()
  await expect.poll(() => waiting('accounts'), soon).toBe(0)
  const patient = Array.from({ length: 32 }, () => world.admin.get(filtered))
  await release()
  for (const { status } of await Promise.all(patient)) expect(status).toBe(200)
})

test('a list with a time limit also ends when its client hangs up', async () => {
  const names = { name: 'Notes', slug: 'notes', api_type: 'note_ext' }
  const api = { data: { type: 'custom_api', ...names } }
  expect((await world.admin.post('/v2/settings/extensions/custom-apis', api)).status).toBe(201)
  await lock('entries')
  const clients = Array.from({ length: 12 }, () => send('GET', '/v2/extensions/notes?timeout=20000&sort=id'))
  await expect.poll(() => waiting('entries'), soon).toBe(connections / 2)
  for (const client of clients) client.destroy()
  await expect.poll(() => waiting('entries'), soon).toBe(0)
})

test('a write is carried out even if its client hangs up', async () => {
  const release = await lock('accounts')
  const client = send('POST', '/v2/accounts', JSON.stringify({ data: { type: 'account', name: 'Unheard' } }))
  await expect.poll(() => waiting('accounts'), soon).toBe(1)
  client.destroy()
  await release()
  const named = async () => (await world.admin.get('/v2/accounts?filter=eq(name,Unheard)')).body.data.length
  await expect.poll(named, soon).toBe(1)
})

test('only the statement of the client that hung up is cancelled', async () => {
  const { database } = world.server.instance
  const sleep = { text: 'SELECT pg_sleep($1)', values: [0.004], once: true }
  let ended = 0
  const pairs = Array.from({ length: 150 }, async (_, n) => {
    const asker = new AbortController()
    const going = database.reading(() => asker.signal).run(sleep)
    setTimeout(() => asker.abort(new Error('gone')), 2 + (n % 60))
    await going.catch((error: Error) => {
      expect(error.message).toBe('gone')
      ended += 1
    })
    // It may get the connection that the other had.
    await database.run(sleep)
  })
  await Promise.all(pairs)
  expect(ended).toBeGreaterThan(0)
})

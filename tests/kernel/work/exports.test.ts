import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { parse as parseCsv } from 'csv-parse/sync'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sequence } from '../../../server/kernel/feed/sequence.ts'
import { lineFormatOf } from '../../../server/kernel/http/prefer.ts'
import { tokenOf } from '../../support/client.ts'
import { openWorld, type World } from '../../support/world.ts'

/** More than the buffers of a connection hold, so that an export waits for a client that does not read. */
const large = { rows: 12_000, chars: 490 }

/** Tests that wait for them make them shorter. */
const limits = { maxMs: 600_000, slowMaxMs: 600_000, bytesPerSecondMin: 1_000_000 }

let world: World
beforeAll(async () => {
  world = await openWorld({
    alone: true,
    overHttp: true,
    exportLimits: limits,
  })
  await world.sql(
    `INSERT INTO accounts (store_id, id, created_at, updated_at, doc)
     SELECT $1, gen_random_uuid(), now() + i * interval '1 ms', now(), json_build_object('name', 'Account ' || i || repeat('é', $3), 'legal_name', repeat('é', $3))
     FROM generate_series(1, $2::int) i`,
    [world.storeId, large.rows, large.chars],
  )
})
afterAll(() => world.close())

const ndjson = { accept: 'application/x-ndjson' }

/** Begins an export, and reads nothing but its beginning until `read` is called. */
async function begin(more = '', version = '1.1', token = world.admin.token) {
  const { hostname, port } = new URL(world.url)
  const socket: Socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  socket.write(
    `GET /v2/accounts${more} HTTP/${version}\r\nHost: localhost\r\nAccept: application/x-ndjson\r\n` +
      `Authorization: Bearer ${token}\r\n\r\n`,
  )
  const [first] = (await once(socket, 'data')) as [Buffer]
  socket.pause()
  const rest = async () => {
    const chunks = [first]
    let error: Error | undefined
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('error', (cause) => {
      error = cause
    })
    const ended = once(socket, 'close').catch(() => {})
    const complete = new Promise<void>((done) => {
      socket.on('data', () => chunks.at(-1)?.toString('latin1').endsWith('\r\n\r\n') && done())
    })
    socket.resume()
    await Promise.race([ended, complete])
    socket.destroy()
    return { text: Buffer.concat(chunks).toString(), error }
  }
  return { socket, first: first.toString(), rest }
}

/** The connections that hold a snapshot for an export. */
const snapshots = async () =>
  (
    await world.sql(
      `SELECT pid FROM pg_stat_activity
       WHERE datname = current_database() AND xact_start IS NOT NULL AND query LIKE '%every_row%' AND pid <> pg_backend_pid()`,
    )
  ).rows.map(({ pid }) => pid as number)

const noSnapshots = () => expect.poll(snapshots, { timeout: 20_000 }).toEqual([])

const idsIn = (text: string) => [...text.matchAll(/"type":"account","id":"([^"]+)"/g)].map(([, id]) => id)

test('an export has the rows of its beginning, whatever is written meanwhile', async () => {
  const { rows } = await world.sql(
    'SELECT id FROM accounts WHERE store_id = $1 ORDER BY created_at DESC, id DESC',
    [world.storeId],
  )
  const { first, rest } = await begin()
  const { body: added } = await world.admin.post('/v2/accounts', { data: { type: 'account', name: 'Late' } })
  const oldest = rows.at(-1).id as string
  await world.admin.put(`/v2/accounts/${oldest}`, { data: { type: 'account', name: 'Renamed' } })
  const { text } = await rest()
  expect(idsIn(text)).toEqual(rows.map(({ id }) => id))
  expect(text).not.toContain('Renamed')
  expect(text.slice(-100)).toMatch(new RegExp(`0\\r\\nsutler-sent-count: ${large.rows}\\r\\n\\r\\n$`))
  expect(first).toMatch(new RegExp(`sutler-total-count: ${large.rows}\\r\\n`))
  await noSnapshots()
  // A reader of the feed goes on from the position of the export.
  const [, position] = /sutler-feed-position: (\d+)/.exec(first) ?? []
  await sequence(world.work.store)
  const later = await world.sql('SELECT id FROM changes WHERE store_id = $1 AND position > $2', [
    world.storeId,
    position,
  ])
  expect(later.rows.map(({ id }) => id)).toEqual(expect.arrayContaining([added.data.id, oldest]))
})

test('a response that breaks off is never taken for a complete one', async () => {
  const { rest } = await begin()
  const [terminated] = await snapshots()
  await world.sql('SELECT pg_terminate_backend($1::int)', [terminated])
  const { text } = await rest()
  expect(idsIn(text).length, 'how many arrived').toBeLessThan(large.rows)
  expect(text).not.toContain('sutler-sent-count: ')
  await noSnapshots()
  const broken = fetch(`${world.url}/v2/accounts`, {
    headers: { ...ndjson, authorization: `Bearer ${world.admin.token}` },
  })
  const response = await broken
  const [pid] = await snapshots()
  await world.sql('SELECT pg_terminate_backend($1::int)', [pid])
  await expect(response.text()).rejects.toThrow('terminated')
})

test('an export over HTTP/1.0, where a part looks whole, is refused', async () => {
  const { first, rest } = await begin('', '1.0')
  expect(first).toMatch(/^HTTP\/1\.1 426 Upgrade Required\r\n/)
  expect(first.toLowerCase()).toContain('upgrade: http/1.1\r\n')
  expect((await rest()).text).toContain('proxy_http_version 1.1')
  await noSnapshots()
})

test('an export ends when its key is deleted', async () => {
  const { body } = await world.admin.post('/v2/application-keys', {
    data: { type: 'application_key', name: 'Passing' },
  })
  const { id, client_id, client_secret } = body.data
  const { rest } = await begin(
    '',
    '1.1',
    await tokenOf(world.url, client_id, client_secret, 'client_credentials'),
  )
  expect((await world.admin.delete(`/v2/application-keys/${id}`)).status).toBe(204)
  await noSnapshots()
  expect((await rest()).text).not.toContain('sutler-sent-count: ')
})

test.each(['slowMaxMs', 'maxMs'] as const)(
  'a client that reads too slowly is cut off (%s)',
  async (limit) => {
    const usual = limits[limit]
    limits[limit] = 1000
    const { rest } = await begin()
    limits[limit] = usual
    await noSnapshots()
    const { text } = await rest()
    expect(text).not.toContain('sutler-sent-count: ')
  },
)

test('an export ends when its client hangs up', async () => {
  const { socket } = await begin()
  socket.destroy()
  await expect.poll(snapshots, { timeout: 10_000 }).toEqual([])
  const sorting = await begin('?sort=name')
  sorting.socket.destroy()
  await expect.poll(snapshots, { timeout: 10_000 }).toEqual([])
})

test('a store has two exports at once, and its shoppers one more', async () => {
  await noSnapshots()
  const two = [await begin(), await begin()]
  const third = await world.admin.read('/v2/accounts', ndjson)
  expect([third.status, third.headers.get('retry-after')]).toEqual([429, '10'])
  expect(third.text).toContain('2 exports are in progress for this store already')
  // Others, and pages, are not held up.
  expect((await world.other.read('/v2/accounts', ndjson)).status).toBe(200)
  expect((await world.shopper.read('/v2/currencies', ndjson)).status).toBe(200)
  expect((await world.admin.get('/v2/accounts')).status).toBe(200)
  for (const { socket } of two) socket.destroy()
  await noSnapshots()
  await expect
    .poll(async () => (await world.admin.read('/v2/accounts?filter=eq(name,x)', ndjson)).status, {
      timeout: 20_000,
    })
    .toBe(200)
})

test('an export that cannot begin is refused as a page is', async () => {
  await world.sql('ALTER TABLE customers RENAME COLUMN doc TO lost')
  const { status, text } = await world.admin.read('/v2/customers', ndjson)
  await world.sql('ALTER TABLE customers RENAME COLUMN lost TO doc')
  expect([status, JSON.parse(text).errors[0].code]).toEqual([500, 'internal'])
  await noSnapshots()
  expect((await world.admin.read('/v2/customers', ndjson)).status).toBe(200)
})

test('HEAD has the same headers, and holds nothing', async () => {
  const { status, headers } = await world.admin.send('HEAD', '/v2/accounts', { headers: ndjson })
  expect([status, headers.get('content-type'), Number(headers.get('sutler-total-count'))]).toEqual([
    200,
    'application/x-ndjson',
    large.rows + 1,
  ])
  await noSnapshots()
})

test('an export counts as a read of each object', async () => {
  const { body: one } = await world.admin.post('/v2/customers', {
    data: { type: 'customer', name: 'Ada', email: 'ada@example.com' },
  })
  const { body: two } = await world.admin.post('/v2/customers', {
    data: { type: 'customer', name: 'Bob', email: 'bob@example.com' },
  })
  const reads = async () =>
    (
      await world.sql(
        `SELECT id FROM personal_data_reads WHERE store_id = $1 AND source = 'customers' ORDER BY id`,
        [world.storeId],
      )
    ).rows.map(({ id }) => id)
  for (const accept of ['application/x-ndjson', 'text/csv']) {
    await world.sql('DELETE FROM personal_data_reads WHERE store_id = $1', [world.storeId])
    expect((await world.admin.read('/v2/customers', { accept })).status).toBe(200)
    await expect.poll(reads, { timeout: 20_000 }).toEqual([one.data.id, two.data.id].sort())
  }
})

test('documents with line ends are one line each', async () => {
  await world.sql(
    `UPDATE accounts SET doc = E'{"name": "Two\\\\nlines",\\n\\r\\n "legal_name": "ü"}' WHERE (store_id, id) IN
       (SELECT store_id, id FROM accounts WHERE store_id = $1 ORDER BY created_at LIMIT 1)`,
    [world.storeId],
  )
  const { text } = await world.admin.read('/v2/accounts?sort=created_at&filter=like(name,Two*)', ndjson)
  expect(text.split('\n')).toHaveLength(2)
  expect(JSON.parse(text)).toMatchObject({ name: 'Two\nlines', legal_name: 'ü' })
})

test('CSV quotes what it must, and has the times and links of pages', async () => {
  const odd = { name: 'Ä "b", €😀\r\nnext; line', legal_name: '', external_ref: '^'.repeat(36) }
  const { body } = await world.admin.post('/v2/accounts', { data: { type: 'account', ...odd } })
  const { id } = body.data
  const path = `/v2/accounts?filter=eq(id,${id})`
  const [{ links, meta }] = (await world.admin.get(path)).body.data
  const { text } = await world.admin.read(path, { accept: 'text/csv' })
  const [columns = [], cells = []] = parseCsv(text) as string[][]
  const cellOf = (column: string) => cells[columns.indexOf(column)]
  expect(columns.map((column) => [column, cellOf(column)])).toEqual(
    expect.arrayContaining([
      ...Object.entries({ ...odd, id, type: 'account', 'links.self': links.self }),
      ...Object.entries(meta.timestamps).map(([name, time]) => [`meta.timestamps.${name}`, time]),
    ]),
  )
  expect(text).toContain(',"",')
})

test.each([
  ['application/x-ndjson', 'ndjson'],
  ['Text/CSV; charset=utf-8', 'csv'],
  ['text/csv, */*', 'csv'],
  ['text/csv;q=0.5, application/x-ndjson;q=0.8', 'ndjson'],
  ['application/json;q=0.5, text/csv', 'csv'],
  ['application/json, text/csv', undefined],
  ['text/csv;q=0.1, */*', undefined],
  ['text/csv;q=0', undefined],
  ['text/csv;q=x', undefined],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', undefined],
  ['__proto__, constructor', undefined],
  [',;,', undefined],
])('Accept: %s', (accept, format) => {
  expect(lineFormatOf(accept)).toBe(format)
})

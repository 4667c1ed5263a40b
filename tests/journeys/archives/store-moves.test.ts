import { existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { baselineIn } from '../../../server/kernel/upgrades/baseline.ts'
import { keyTable, leftBehind } from '../../../tools/moving/left-behind.ts'
import { fillStore, readLists } from '../../builders/tools/full-store.ts'
import { begin, run } from '../../builders/tools/run-command.ts'
import { databaseUrl, emptyDatabase, type OwnDatabase, ownDatabase } from '../../support/own-database.ts'
import { adminOf, key, newDirectory, startHere, stopAfterEach } from '../../support/process.ts'
import { filesOf, openWorld, secret, type World } from '../../support/world.ts'
import { rewriteArchive } from './rewrite-archive.ts'

stopAfterEach()

let world: World
let lists: readonly string[]
let source: Record<string, string>
const databases: OwnDatabase[] = []
beforeAll(async () => {
  world = await openWorld({ alone: true, overHttp: true })
  lists = await fillStore(world)
  source = {
    DATABASE_URL: databaseUrl(inject('postgres'), world.database),
    SUTLER_FILES_DIR: filesOf(world.database),
  }
})
afterAll(async () => {
  await world.close()
  for (const database of databases) await database.drop()
})

const exportTo = (path: string) => run(['export', path, '--store', world.storeId], source)

/** A database without a server, and the settings of the server to come. */
async function newPlace(more: Record<string, string> = {}) {
  const database = await emptyDatabase()
  databases.push(database)
  const settings = {
    DATABASE_URL: database.url,
    SUTLER_DATA_DIR: newDirectory(),
    SUTLER_SECRET: secret,
    LOG_LEVEL: 'error',
    ...key,
    ...more,
  }
  return { database, settings }
}

/** A hash of each table of the store, but for those that servers keep up while nothing is written. */
async function hashesOf(url: string): Promise<Record<string, string>> {
  const upkept = [
    keyTable,
    ...Object.keys(leftBehind),
    'feeds',
    'feed_gaps',
    'feed_days',
    'feed_readers',
    // Written behind the responses.
    'personal_data_reads',
    'catalog_rule_states',
    // Compared below, with what is not yet added to them.
    'order_sums',
  ]
  const client = new pg.Client(url)
  await client.connect()
  const { rows } = await client.query(
    `SELECT c.relname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'store_id'
     WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relname !~ '^list_|changes' AND c.relname <> ALL($1)`,
    [upkept],
  )
  const hashes: Record<string, string> = {}
  for (const { name } of rows) {
    const answer = await client.query(
      `SELECT count(*) || ' ' || coalesce(md5(string_agg(r::text, ',' ORDER BY r::text)), '') AS hash FROM ${name} r
       WHERE store_id = $1`,
      [world.storeId],
    )
    hashes[name] = answer.rows[0].hash
  }
  const sums = await client.query(
    `SELECT string_agg(s::text, ',' ORDER BY s) AS all FROM (
       SELECT currency, at, sum(orders), sum(value), sum(discount) FROM (
         SELECT currency, at, orders, value, discount FROM order_sums WHERE store_id = $1 AND grain = 'quarter'
         UNION ALL SELECT currency, at, orders, value, discount FROM order_sum_changes WHERE store_id = $1) parts
       GROUP BY currency, at) s`,
    [world.storeId],
  )
  hashes.sums = String(sums.rows[0].all)
  const feed = await client.query(
    `SELECT md5(string_agg(c.id || c.event || coalesce(c.doc::text, ''), ',' ORDER BY c.id, c.event, c.at, c.doc::text))
       AS hash
     FROM (SELECT id, event::text, at, doc FROM fresh_changes WHERE store_id = $1 AND source <> $2 UNION ALL
       SELECT id, event, at, doc FROM changes WHERE store_id = $1 AND source <> $2) c`,
    [world.storeId, keyTable],
  )
  hashes.feed = feed.rows[0].hash
  await client.end()
  return hashes
}

test('a store that was exported and imported is equal: rows, lists, files, positions', async () => {
  const archive = join(newDirectory(), 'store.tar')
  const exported = await exportTo(archive)
  expect(exported).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^The store \([\d,]+ rows and \d+ files\)/),
  })
  const { settings, database } = await newPlace()
  expect(await run(['import', archive], settings)).toMatchObject({ code: 0 })
  const [before, after] = await Promise.all([hashesOf(source.DATABASE_URL as string), hashesOf(database.url)])
  expect(Object.keys(before).length).toBeGreaterThan(70)
  expect(after).toEqual(before)

  const others = lists.filter((path) => path !== '/v2/application-keys')
  const listed = await readLists(world.admin, world.url, others)
  const server = await startHere(settings)
  const admin = await adminOf(server.url)
  expect(await readLists(admin, server.url, others)).toEqual(listed)
  expect(Object.values(listed).filter((text) => text.startsWith('200 {"data":[{')).length).toBeGreaterThan(40)

  const files = (await admin.get('/v2/files')).body.data as { link: { href: string }; file_size: number }[]
  const [file] = files.filter(({ file_size }) => file_size > 0)
  const path = new URL(file?.link.href as string).pathname
  const content = async (url: string) => Buffer.from(await (await fetch(url + path)).arrayBuffer())
  expect((await content(server.url)).equals(await content(world.url))).toBe(true)

  // The old keys go on, and the new server's own key is one of them.
  const keys = await admin.get('/v2/application-keys')
  const { total } = (await world.admin.get('/v2/application-keys')).body.meta.results
  expect([keys.body.data.length, keys.body.meta.results.total]).toEqual([total + 1, total + 1])

  // A write counts on, and its position is none that the exported server can have given.
  expect((await admin.post('/v2/accounts', { data: { type: 'account', name: 'Later' } })).status).toBe(201)
  const totals = [await admin.get('/v2/accounts'), await world.admin.get('/v2/accounts')].map(
    ({ body }) => body.meta.results.total,
  )
  expect(totals[0]).toBe(totals[1] + 1)
  await database.sql('SELECT sequence_store($1)', [world.storeId])
  const { rows } = await database.sql(
    `SELECT g.until - g.after AS gap, g.after >= (SELECT count(*) FROM changes WHERE position <= g.after) AS dense,
       (SELECT count(*)::int FROM changes c WHERE c.position > g.until) AS later FROM feed_gaps g`,
  )
  expect(rows).toEqual([{ gap: '1000000000', dense: true, later: expect.any(Number) }])
  expect(rows[0].later).toBeGreaterThan(0)
})

test('an import replaces nothing', async () => {
  const archive = join(newDirectory(), 'store.tar')
  expect(await exportTo(archive)).toMatchObject({ code: 0 })
  expect((await exportTo(archive)).stderr).toContain('already exists, and an export overwrites nothing')
  expect((await run(['import', archive], { ...source, SUTLER_SECRET: secret })).stderr).toContain(
    'a server runs on this database',
  )
  const used = await ownDatabase()
  databases.push(used)
  await used.sql(
    `INSERT INTO accounts (store_id, id, created_at, updated_at, doc)
     SELECT id, gen_random_uuid(), now(), now(), '{"name": "Mine"}' FROM stores`,
  )
  await used.sql(`DELETE FROM fresh_changes WHERE source = 'accounts'`)
  const settings = { DATABASE_URL: used.url, SUTLER_DATA_DIR: newDirectory(), SUTLER_SECRET: secret }
  const refused = await run(['import', archive], settings)
  expect([refused.code, refused.stderr]).toEqual([
    3,
    expect.stringContaining('the store of this server is not empty (accounts)'),
  ])
  expect((await used.sql('SELECT count(*)::int AS n FROM accounts')).rows).toEqual([{ n: 1 }])
})

const same = (_name: string, content: Buffer) => content
const ofHeader = (members: object) => (name: string, content: Buffer) =>
  name === 'store.json'
    ? Buffer.from(JSON.stringify({ ...JSON.parse(content.toString()), ...members }))
    : content

test('an archive from right before the baseline is read, and an older one is refused', async () => {
  const directory = newDirectory()
  const archive = join(directory, 'store.tar')
  expect(await exportTo(archive)).toMatchObject({ code: 0 })
  const { files, replaces } = await baselineIn()
  const isLater = (file: string) => file.endsWith('.sql') && !files.includes(file)
  const { settings } = await newPlace()
  const importOf = async (migrations: readonly string[], more: Readonly<Record<string, Buffer>> = {}) => {
    const path = join(directory, `${migrations.length}.tar`)
    await rewriteArchive(archive, path, ofHeader({ migrations }), more)
    return (await run(['import', path], settings)).stderr
  }
  expect(await importOf(replaces.slice(1))).toContain('an older version of Sutler wrote the archive')
  // What follows the header is read.
  const job = { 'tables/waiting_jobs/000009.ndjson': Buffer.from('{"name":"no-such-job","payload":{}}\n') }
  const names = [...replaces, ...readdirSync('server/migrations').filter(isLater)]
  expect(await importOf(names, job)).toContain('unknown job: "no-such-job"')
}, 120_000)

test('a broken archive, or one of another version, is refused as a whole', async () => {
  const directory = newDirectory()
  const archive = join(directory, 'store.tar')
  expect(await exportTo(archive)).toMatchObject({ code: 0 })
  const whole = readFileSync(archive)
  const changedAt = whole.indexOf('"name":"') + 8
  const broken: [string, Buffer, string][] = [
    ['cut', whole, 'is damaged (the archive is cut off)'],
    ['without a header', Buffer.from(whole).fill('x', 512, 513), 'store.json is no JSON object'],
    ['changed', Buffer.from(whole).fill('9', changedAt, changedAt + 1), 'its content was changed'],
    [
      'newer',
      Buffer.from(whole.toString('latin1').replace('1000-kernel', '9000-kernel'), 'latin1'),
      'newer version',
    ],
  ]
  const rewritten: [string, (name: string, content: Buffer) => Buffer, Record<string, string>, string][] = [
    ['without stores', ofHeader({ store: null }), {}, 'store.json lacks a member'],
    ['without migrations', ofHeader({ migrations: 7 }), {}, 'store.json lacks a member'],
    ['with a strange time', ofHeader({ secret: { fingerprint: 'x', in_use_from: 'noon' } }), {}, 'noon'],
    [
      'with a strange job',
      same,
      { 'tables/waiting_jobs/000009.ndjson': '{"name":"no-such-job","payload":{}}\n' },
      'waiting_jobs has an unknown job: "no-such-job"',
    ],
    ['with a strange row', same, { 'tables/accounts/000009.ndjson': '{"id":"x"}\n' }, 'invalid input syntax'],
    ['with half a row', same, { 'tables/accounts/000009.ndjson': '{"id":\n' }, 'invalid input syntax'],
  ]
  const { settings, database } = await newPlace()
  for (const [name, bytes, message] of broken) {
    const path = join(directory, name)
    writeFileSync(path, bytes)
    if (name === 'cut') truncateSync(path, Math.floor(bytes.length / 2))
    const { code, stderr } = await run(['import', path], settings)
    expect([name, code, stderr]).toEqual([name, 3, expect.stringContaining(message)])
  }
  for (const [name, change, more, message] of rewritten) {
    const path = join(directory, name)
    const extra = Object.fromEntries(Object.entries(more).map(([entry, text]) => [entry, Buffer.from(text)]))
    await rewriteArchive(archive, path, change, extra)
    const { code, stderr } = await run(['import', path], settings)
    expect([name, code, stderr]).toEqual([
      ...[name, 3],
      // A slow machine also says how far the import is.
      expect.stringMatching(/^(?:\{"progress":.*\n)*sutler: .* is damaged \(.*\): export the store again\n$/),
    ])
    expect(stderr).toContain(message)
  }
  expect((await database.sql('SELECT count(*)::int AS n FROM accounts')).rows).toEqual([{ n: 0 }])
  const { rows } = await database.sql(
    `SELECT count(*)::int AS n FROM pg_trigger WHERE tgenabled = 'D' UNION ALL
     SELECT count(*)::int FROM pg_constraint WHERE contype = 'f' AND condeferrable`,
  )
  expect(rows).toEqual([{ n: 0 }, { n: 0 }])
})

test('the archive of a server with another secret names the setting that opens its sealed values', async () => {
  const archive = join(newDirectory(), 'store.tar')
  expect(await exportTo(archive)).toMatchObject({ code: 0 })
  const { settings } = await newPlace({ SUTLER_SECRET: 'another secret, which is long enough too' })
  const imported = await run(['import', archive], settings)
  expect(imported).toMatchObject({ code: 0, stdout: expect.stringContaining('set SUTLER_PREVIOUS_SECRET') })
  await expect(startHere(settings)).rejects.toThrow('SUTLER_PREVIOUS_SECRET')
  const server = await startHere({ ...settings, SUTLER_PREVIOUS_SECRET: secret })
  const admin = await adminOf(server.url)
  expect((await admin.get('/v2/authentication-realms')).status).toBe(200)
})

test('an export and an import that are killed leave nothing half done, and run again', {
  timeout: 240_000,
}, async () => {
  await world.sql(
    `INSERT INTO accounts (store_id, id, created_at, updated_at, doc)
     SELECT $1, gen_random_uuid(), now() - i * interval '1 second', now(), json_build_object('name', repeat('Many ', 50))
     FROM generate_series(1, 10000) i`,
    [world.storeId],
  )
  const archive = join(newDirectory(), 'store.tar')
  const exporting = begin(['export', archive, '--store', world.storeId], source)
  await expect.poll(() => existsSync(`${archive}.unfinished`), { timeout: 60_000, interval: 5 }).toBe(true)
  exporting.child.kill('SIGKILL')
  await exporting.ended
  expect(existsSync(archive)).toBe(false)
  expect(await exportTo(archive)).toMatchObject({ code: 0 })
  expect(existsSync(`${archive}.unfinished`)).toBe(false)

  const { settings, database } = await newPlace()
  const importing = begin(['import', archive], settings)
  const writesRows = async () => {
    const { rows } = await database.sql(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND query ~ '^INSERT INTO "(fresh_)?changes"'`,
    )
    return rows.length
  }
  await expect.poll(writesRows, { timeout: 120_000, interval: 5 }).toBeGreaterThan(0)
  importing.child.kill('SIGKILL')
  await importing.ended
  expect((await database.sql('SELECT count(*)::int AS n FROM accounts')).rows).toEqual([{ n: 0 }])
  expect((await database.sql('SELECT count(*)::int AS n FROM stores')).rows).toEqual([{ n: 1 }])
  await expect
    .poll(async () => (await run(['import', archive], settings)).stderr, {
      timeout: 120_000,
    })
    .not.toContain('a server runs on this database')
  expect(await hashesOf(database.url)).toEqual(await hashesOf(source.DATABASE_URL as string))
})

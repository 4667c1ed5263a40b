import { spawn } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { expect, test } from 'vitest'
import { findRunning } from '../../../server/platform/postgres/embedded.ts'
import type { Client } from '../../support/client.ts'
import { mergeTotals } from '../../support/merge-totals.ts'
import {
  adminOf,
  environment,
  key,
  newDirectory,
  serve,
  startedDirectory,
  stop,
  stopAfterEach,
} from '../../support/process.ts'

stopAfterEach()

const program = fileURLToPath(new URL('../../../command/sutler.ts', import.meta.url))

function begin(command: string, dataDir: string, path: string, more: Record<string, string> = {}) {
  const env = { ...environment, SUTLER_DATA_DIR: dataDir, ...more }
  const child = spawn(process.execPath, [program, command, path], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text) => {
      output += text
    })
  }
  // How far it is depends on the machine.
  const said = () => output.replaceAll(/^\{"progress":.*\n/gm, '')
  return { child, ended: once(child, 'close').then(([code]) => ({ code, output: said() })) }
}
const run = async (...how: Parameters<typeof begin>) => begin(...how).ended

async function sql(dataDir: string, text: string): Promise<unknown[][]> {
  const client = new pg.Client(findRunning(dataDir) as string)
  await client.connect()
  const { rows } = await client.query({ text, rowMode: 'array' })
  await client.end()
  return rows
}

// More than two blocks of a list.
const many = 9000

/** Creates many accounts by SQL, and merges their counters. */
async function fill(dataDir: string): Promise<void> {
  await sql(
    dataDir,
    `INSERT INTO accounts (store_id, id, created_at, updated_at, doc)
     SELECT s.id, gen_random_uuid(), now() - i * interval '1 second', now(), '{"name": "Many"}'
     FROM stores s, generate_series(1, ${many}) i`,
  )
  await mergeTotals(findRunning(dataDir) as string)
  expect(Number((await sql(dataDir, 'SELECT count(*) FROM list_blocks'))[0]?.[0])).toBeGreaterThan(2)
}

const account = (name: string) => ({ data: { type: 'account', name } })

/** The address of an uploaded file. */
async function upload({ token }: Client, url: string, name: string, content: string): Promise<string> {
  const form = new FormData()
  form.append('file', new Blob([content]), name)
  const headers = { authorization: `Bearer ${token}` }
  const answer = await fetch(`${url}/v2/files`, { method: 'POST', headers, body: form })
  expect(answer.status).toBe(201)
  return ((await answer.json()) as { data: { link: { href: string } } }).data.link.href
}

/** Eight writers create accounts, each one after the other with a short pause, until the test stops them. */
function write(admin: Client) {
  const acknowledged: string[] = []
  let writing = true
  const hands = Array.from({ length: 8 }, async (_, hand) => {
    for (let i = 0; writing; i++) {
      const { status, body } = await admin.post('/v2/accounts', account(`${hand}-${i}`))
      expect(status).toBe(201)
      acknowledged.push(body.data.id)
      await setTimeout(20)
    }
  })
  return {
    acknowledged,
    async end() {
      writing = false
      await Promise.all(hands)
    },
  }
}

test('a backup under writes is complete: writes, totals, deep pages, positions', async () => {
  const [dataDir, places] = [startedDirectory(), newDirectory()]
  const backup = join(places, 'backups', 'monday')
  const running = serve(dataDir, key)
  const url = await running.ready
  const admin = await adminOf(url)
  await fill(dataDir)
  const picture = await upload(admin, url, 'kept.txt', 'what was uploaded')
  const writer = write(admin)
  await expect.poll(() => writer.acknowledged.length, { timeout: 20_000 }).toBeGreaterThan(100)
  const before = [...writer.acknowledged]
  // PostgreSQL would remove the part of its log that the backup needs.
  const checkpoints = (async () => {
    for (let i = 0; i < 5; i++)
      await sql(dataDir, `SELECT pg_switch_wal()`).then(() => sql(dataDir, 'CHECKPOINT'))
  })()
  const { code, output } = await run('backup', dataDir, backup)
  await checkpoints
  expect([code, output]).toEqual([0, `${dataDir} is backed up to ${backup}\n`])
  const during = writer.acknowledged.length - before.length
  await writer.end()
  expect(during, 'writes while it was made').toBeGreaterThan(0)
  expect(await sql(dataDir, 'SELECT slot_name FROM pg_replication_slots')).toEqual([])
  expect(await run('backup', dataDir, backup)).toMatchObject({
    code: 3,
    output: expect.stringMatching(/^sutler: .* already exists, and a backup overwrites nothing: .*\n$/),
  })
  expect(await run('restore', dataDir, backup)).toMatchObject({
    code: 3,
    output: expect.stringMatching(/^sutler: .* is not empty: .*\n$/),
  })
  await stop(running.child)

  const restored = join(places, 'data')
  expect(await run('restore', restored, backup)).toMatchObject({ code: 0 })
  expect(fs.readFileSync(join(restored, 'secret'), 'utf8')).toBe(
    fs.readFileSync(join(dataDir, 'secret'), 'utf8'),
  )
  const restoredUrl = await serve(restored, key).ready
  const again = await adminOf(restoredUrl)
  expect(await (await fetch(restoredUrl + new URL(picture).pathname)).text()).toBe('what was uploaded')
  expect(fs.existsSync(join(restored, 'files/unfinished'))).toBe(false)

  const ids = (
    await sql(restored, 'SELECT id FROM accounts ORDER BY created_at DESC, id DESC')
  ).flat() as string[]
  expect(before.filter((id) => !ids.includes(id))).toEqual([])
  expect(ids.length).toBeGreaterThanOrEqual(many + before.length)
  for (const offset of [0, 1, 4095, 4096, many - 1, ids.length - 3, ids.length]) {
    const { body } = await again.get(`/v2/accounts?page[limit]=5&page[offset]=${offset}`)
    expect(body.meta.results.total).toBe(ids.length)
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual(ids.slice(offset, offset + 5))
  }

  // Positions have no gap and continue, including those of writes that were not in the feed yet.
  const { body } = await again.post('/v2/accounts', account('After'))
  const unfed = async () => Number((await sql(restored, 'SELECT count(*) FROM fresh_changes'))[0]?.[0])
  await expect.poll(unfed, { timeout: 10_000 }).toBe(0)
  const [[n, first, last, positions] = []] = await sql(
    restored,
    'SELECT count(*), min(c.position), max(c.position), max(f.position) FROM changes c JOIN feeds f USING (store_id)',
  )
  expect([first, last, positions]).toEqual(['1', n, n])
  const fed = await sql(
    restored,
    `SELECT id FROM changes WHERE event = 'created' AND source = 'accounts' ORDER BY position`,
  )
  expect(fed.flat().sort()).toEqual([...ids, body.data.id].sort())
  expect(fed.at(-1)).toEqual([body.data.id])
}, 300_000)

test('kill -9 during a backup leaves nothing that looks like a backup, and does not harm the server', async () => {
  const [dataDir, places] = [startedDirectory(), newDirectory()]
  const running = serve(dataDir, key)
  const admin = await adminOf(await running.ready)
  const backup = join(places, 'monday')
  const { child, ended } = begin('backup', dataDir, backup)
  const unfinished = () => fs.readdirSync(places).map((name) => join(places, name))
  await expect
    .poll(() => unfinished().some((path) => fs.existsSync(join(path, 'postgres/base'))), {
      timeout: 60_000,
      interval: 1,
    })
    .toBe(true)
  child.kill('SIGKILL')
  await ended
  const [left = ''] = unfinished()
  expect(left).toMatch(/monday\.unfinished-\d+$/)
  expect(await run('restore', newDirectory(), left)).toMatchObject({
    code: 3,
    output: expect.stringMatching(/^sutler: .* is not a backup: it has no readable backup.json/),
  })
  expect((await admin.post('/v2/accounts', account('A'))).status).toBe(201)
  const slots = () => sql(dataDir, 'SELECT slot_name FROM pg_replication_slots')
  await expect.poll(slots, { timeout: 20_000 }).toEqual([])

  // Also of a stopped server.
  await stop(running.child)
  expect(await run('backup', dataDir, backup)).toMatchObject({ code: 0 })
  expect(fs.readdirSync(places)).toEqual(['monday'])
  expect(fs.existsSync(join(dataDir, 'postgres/postmaster.pid'))).toBe(false)
}, 300_000)

test('of two concurrent backups to one place the second is refused, and the first is complete', async () => {
  const [dataDir, places] = [startedDirectory(), newDirectory()]
  const running = serve(dataDir, key)
  await running.ready
  const backup = join(places, 'monday')
  const first = begin('backup', dataDir, backup)
  const draft = () => fs.readdirSync(places).find((name) => /unfinished-\d+$/.test(name))
  await expect.poll(draft, { timeout: 60_000, interval: 1 }).toBeDefined()
  const own = draft()
  // It must not finish before the second has been refused.
  first.child.kill('SIGSTOP')
  expect(await run('backup', dataDir, backup)).toEqual({
    code: 3,
    output: `sutler: another backup to ${backup} is in progress (pid ${first.child.pid}): wait until it has finished, or choose another place\n`,
  })
  expect(fs.readdirSync(places).sort()).toEqual([own, 'monday.unfinished.pid'])
  first.child.kill('SIGCONT')
  expect(await first.ended).toMatchObject({ code: 0 })
  expect(fs.readdirSync(places)).toEqual(['monday'])
  // Also if both begin at the same moment.
  const both = await Promise.all([1, 2].map(() => run('backup', dataDir, join(places, 'tuesday'))))
  expect(both.map(({ code }) => code).sort()).toEqual([0, 3])
  expect(both.find(({ code }) => code)?.output).toMatch(/^sutler: (another backup to|.* already exists)/)
  expect(fs.readdirSync(places).sort()).toEqual(['monday', 'tuesday'])
  expect(await run('restore', newDirectory(), join(places, 'tuesday'))).toMatchObject({ code: 0 })
}, 300_000)

test('a damaged or missing backup is refused in one line', async () => {
  const [dataDir, places] = [startedDirectory(), newDirectory()]
  const refused = async (code: number, says: RegExp, ...how: Parameters<typeof begin>) => {
    expect(await run(...how)).toMatchObject({ code, output: expect.stringMatching(says) })
  }
  await refused(3, /^sutler: there is no database in .*\n$/, 'backup', newDirectory(), join(places, 'a'))
  await refused(3, /^sutler: DATABASE_URL is set: .*\n$/, 'backup', dataDir, join(places, 'a'), {
    DATABASE_URL: 'postgres://a/b',
  })
  await refused(2, /^sutler: the directory is missing: .*\n$/, 'backup', dataDir, '')
  await refused(
    3,
    /^sutler: .* is inside the data directory: .*\n$/,
    'backup',
    dataDir,
    join(dataDir, 'backup'),
  )
  const backup = join(places, 'backup')
  const elsewhere = { SUTLER_FILES_DIR: join(places, 'files') }
  expect(await run('backup', dataDir, backup, elsewhere)).toMatchObject({
    code: 0,
    output: expect.stringContaining(`(without uploaded files: back up ${join(places, 'files')} separately)`),
  })
  const file = join(backup, 'postgres/global/pg_control')
  const bytes = fs.readFileSync(file)
  fs.writeFileSync(file, bytes.fill(1, 100, 101))
  const restored = join(places, 'restored')
  await refused(1, /^sutler: .*pg_control is damaged or missing: .*\n$/, 'restore', restored, backup)
  expect(fs.readdirSync(restored)).toEqual([])
}, 300_000)

test('a data directory with a killed restore does not start as a new, empty one', async () => {
  const dataDir = newDirectory()
  const draft = join(dataDir, 'restore.unfinished-999999999')
  fs.mkdirSync(draft)
  const before = fs.readdirSync(dataDir)
  const running = serve(dataDir, key)
  expect(await Promise.race([running.exit, running.ready.catch(() => running.exit)])).toBe(3)
  expect(running.output()).toMatch(/^sutler: a restore into .* did not finish: .*\n$/)
  expect(fs.readdirSync(dataDir)).toEqual(before)
}, 300_000)

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { StartupError } from '../../server/platform/faults.ts'
import { type EmbeddedPostgres, startEmbedded } from '../../server/platform/postgres/embedded.ts'

const scratch = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'embedded-test-')))
fs.chmodSync(scratch, 0o755)
const home = join(scratch, 'data')
const children: ChildProcess[] = []
let server: EmbeddedPostgres

beforeAll(async () => {
  server = await startEmbedded(home)
  await query(server.url, 'CREATE TABLE kept (word text)')
})

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  await server?.stop()
  fs.rmSync(scratch, { recursive: true, force: true })
})

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    const { rows } = await client.query({ text: sql, rowMode: 'array' })
    return rows.flat()
  } finally {
    await client.end()
  }
}

const keep = (url: string, word: string) => query(url, `INSERT INTO kept VALUES ('${word}')`)
const words = (url: string) => query(url, 'SELECT word FROM kept ORDER BY word')
const postmasterPid = () =>
  Number(fs.readFileSync(join(home, 'postgres/postmaster.pid'), 'utf8').split('\n')[0])

/** Starts the same data directory in another process, which prints its URL, or why it could not. */
async function startElsewhere(): Promise<{ child: ChildProcess; firstLine: string }> {
  const module = new URL('../../server/platform/postgres/embedded.ts', import.meta.url)
  const script = `import { startEmbedded } from '${module}'
    try { console.log((await startEmbedded(process.argv[1])).url) }
    catch (error) { console.log(String(error)); process.exit(1) }`
  const args = ['--input-type=module', '--eval', script, home]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  const [firstLine] = await once(child.stdout, 'data')
  return { child, firstLine: String(firstLine).trim() }
}

async function kill(child: ChildProcess) {
  child.kill('SIGKILL')
  await once(child, 'exit')
}

test('the first start creates a durable UTF-8 cluster that only its socket leads to', async () => {
  const settings = ['fsync', 'synchronous_commit', 'full_page_writes', 'server_encoding', 'listen_addresses']
  const shown = await query(server.url, `SELECT ${settings.map((name) => `current_setting('${name}')`)}`)
  expect(shown).toEqual(['on', 'on', 'on', 'UTF8', ''])
  expect(await query(server.url, `SELECT 'B' < 'a', lower('É')`)).toEqual([true, 'é'])
  const socketDir = new URL(server.url.replace('@/', '@x/')).searchParams.get('host') ?? ''
  expect(fs.statSync(socketDir).mode & 0o777).toBe(0o700)
})

test('a second start on the data directory is refused, and the first continues', async () => {
  const { child, firstLine } = await startElsewhere()
  expect(firstLine).toBe(
    `StartupError: data directory ${home} is in use by another Sutler process (pid ${process.pid})`,
  )
  expect(child.exitCode ?? (await once(child, 'exit'))[0]).toBe(1)
  expect(await words(server.url)).toEqual([])
})

test('a stop leaves no pid file and no socket and can be repeated, and a restart keeps the data', async () => {
  await keep(server.url, 'stopped')
  await Promise.all([server.stop(), server.stop()])
  expect(fs.readdirSync(home).sort()).toEqual(['postgres', 'postgres.log'])
  server = await startEmbedded(home)
  expect(await words(server.url)).toEqual(['stopped'])
})

test('a killed PostgreSQL is reported, and the next start recovers what was committed', async () => {
  await keep(server.url, 'killed')
  process.kill(postmasterPid(), 'SIGKILL')
  expect(await server.exited).toMatch(
    /^PostgreSQL stopped unexpectedly \(signal SIGKILL\); see .*postgres\.log$/,
  )
  await server.stop()
  server = await startEmbedded(home)
  expect(await words(server.url)).toEqual(['killed', 'stopped'])
})

test('a start takes over the PostgreSQL of a server that was killed', async () => {
  await server.stop()
  const { child, firstLine: url } = await startElsewhere()
  await keep(url, 'orphaned')
  await kill(child)
  server = await startEmbedded(home)
  expect(await words(server.url)).toEqual(['killed', 'orphaned', 'stopped'])
  await expect(query(url, 'SELECT')).rejects.toThrow('ENOENT')
})

test('a start recovers when the server and its PostgreSQL were both killed', async () => {
  await server.stop()
  const { child, firstLine: url } = await startElsewhere()
  await keep(url, 'both')
  process.kill(postmasterPid(), 'SIGKILL')
  await kill(child)
  server = await startEmbedded(home)
  expect(await words(server.url)).toEqual(['both', 'killed', 'orphaned', 'stopped'])
})

test('a start ends a session that still runs after its PostgreSQL was killed', async () => {
  await server.stop()
  const { child, firstLine: url } = await startElsewhere()
  const client = new pg.Client(url)
  client.on('error', () => {})
  await client.connect()
  const endless = client.query('DO $$ BEGIN LOOP END LOOP; END $$').catch(() => 'ended')
  process.kill(postmasterPid(), 'SIGKILL')
  await kill(child)
  server = await startEmbedded(home)
  expect(await endless).toBe('ended')
  expect(await words(server.url)).toHaveLength(4)
})

test('a server that has ended does not hold the directory', async () => {
  await server.stop()
  const module = new URL('../../server/platform/postgres/embedded.ts', import.meta.url)
  const script = `import { startEmbedded } from '${module}'; await startEmbedded(process.argv[1]); console.log('up')`
  // A parent that never asks how its children ended.
  const negligent = `"$0" --input-type=module --eval "$1" "$2" & echo $!; exec tail -f /dev/null`
  const parent = spawn('sh', ['-c', negligent, process.execPath, script, home], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(parent)
  let output = ''
  parent.stdout.on('data', (data) => {
    output += String(data)
  })
  await expect.poll(() => output, { timeout: 20_000 }).toContain('up')
  const pid = Number.parseInt(output, 10)
  process.kill(pid, 'SIGKILL')
  const state = () => fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.[0]
  await expect.poll(state).toBe('Z')
  server = await startEmbedded(home)
  expect(await words(server.url)).toHaveLength(4)
})

test('a server starts even if the numbers in its pid files now belong to other processes', async () => {
  const socketDir = new URL(server.url.replace('@/', '@x/')).searchParams.get('host') ?? ''
  await server.stop()
  fs.writeFileSync(join(home, 'sutler.pid'), `${process.pid} another time\n`)
  const lines = [process.pid, join(home, 'postgres'), 1700000000, 5432, socketDir, '', '  1 2', 'ready']
  fs.writeFileSync(join(home, 'postgres/postmaster.pid'), `${lines.join('\n')}\n`)
  server = await startEmbedded(home)
  expect(await words(server.url)).toHaveLength(4)
})

test('an interrupted first start is repeated', async () => {
  const cut = join(scratch, 'cut')
  fs.mkdirSync(join(cut, 'postgres.init-1/base'), { recursive: true })
  const again = await startEmbedded(cut)
  await again.stop()
  expect(fs.readdirSync(cut).sort()).toEqual(['postgres', 'postgres.log'])
})

const refusals: [what: string, path: string, prepare: (path: string) => void, why: RegExp][] = [
  [
    'a file',
    'file',
    (path) => fs.writeFileSync(path, ''),
    /^cannot use the data directory .*: it is not a directory$/,
  ],
  [
    'below a file',
    'file/data',
    () => {},
    /^cannot use the data directory .*: part of its path is not a directory$/,
  ],
  [
    'of PostgreSQL 12',
    'old',
    (path) => plant(path, 'PG_VERSION', '12\n'),
    /was made by PostgreSQL 12, .* comes with PostgreSQL 18:/,
  ],
  [
    'of something else',
    'other',
    (path) => plant(path, 'notes', ''),
    /is not a PostgreSQL cluster: restore it/,
  ],
]

function plant(path: string, name: string, content: string) {
  fs.mkdirSync(join(path, 'postgres'), { recursive: true })
  fs.writeFileSync(join(path, 'postgres', name), content)
}

test.for(refusals)('a data directory that is %s is refused in one line', async ([, path, prepare, why]) => {
  prepare(join(scratch, path))
  const error = await startEmbedded(join(scratch, path)).catch((error: unknown) => error)
  expect(error).toBeInstanceOf(StartupError)
  expect((error as StartupError).message).toMatch(why)
})

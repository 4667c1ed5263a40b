import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { startOwnServer } from './own-server.ts'

/**
 * What an export and an import of a store take, beside COPY of the same rows by the database alone. The first
 * argument is the number of rows: accounts of about 500 bytes.
 */
const rows = Number(process.argv[2] ?? 200_000)

const program = fileURLToPath(new URL('../command/sutler.ts', import.meta.url))
const secret = 'bench secret bench secret bench secret'

/** How long a command takes, and the most memory that its process had. */
async function measure(args: readonly string[], settings: Record<string, string>) {
  const beganMs = performance.now()
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH: process.env.PATH, SUTLER_SECRET: secret, ...settings },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let output = ''
  child.stderr.on('data', (text) => {
    output += text
  })
  let peakMb = 0
  const watch = setInterval(() => {
    try {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
      peakMb = Math.max(peakMb, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024)
    } catch {
      // It has ended, or the system has no such file.
    }
  }, 50)
  const code = await new Promise((done) => child.once('close', done))
  clearInterval(watch)
  if (code !== 0) throw new Error(output)
  return { seconds: (performance.now() - beganMs) / 1000, peakMb: Math.round(peakMb) }
}

const directory = mkdtempSync(join(tmpdir(), 'sutler-archive-'))
// PostgreSQL may run as another user.
chmodSync(directory, 0o777)
const server = await startOwnServer()
const client = new pg.Client(server.databaseUrl)
await client.connect()
const timed = async (text: string) => {
  const beganMs = performance.now()
  await client.query(text)
  return (performance.now() - beganMs) / 1000
}
try {
  await client.query(`SET session_replication_role = 'replica'`)
  await client.query(
    `INSERT INTO accounts (store_id, id, created_at, updated_at, doc)
     SELECT s.id, gen_random_uuid(), now() - i * interval '1 ms', now(), json_build_object('name', 'Account ' || i,
       'legal_name', repeat(md5(i::text), 12), 'external_ref', md5(i::text))
     FROM stores s, generate_series(1, ${rows}) i`,
  )
  await client.query('ANALYZE accounts')
  const columns = 'store_id, id, version, created_at, updated_at, doc, hidden'
  await client.query('CREATE TABLE accounts_again (LIKE accounts INCLUDING ALL)')
  const file = join(directory, 'rows.copy')
  const out = await timed(`COPY accounts (${columns}) TO PROGRAM 'cat > ${file}; chmod a+r ${file}'`)
  const archive = join(directory, 'store.tar')
  const exported = await measure(['export', archive], { DATABASE_URL: server.databaseUrl })
  const into = await timed(`COPY accounts_again (${columns}) FROM PROGRAM 'cat ${file}'`)
  const imported = await measure(['import', archive], { SUTLER_DATA_DIR: join(directory, 'new') })
  const line = (name: string, seconds: number, peakMb?: number) =>
    process.stdout.write(`${name}: ${seconds.toFixed(1)} s${peakMb ? `, at most ${peakMb} MB` : ''}\n`)
  process.stdout.write(`${rows} accounts, ${(statSync(archive).size / 1e6).toFixed(0)} MB\n`)
  line('COPY TO', out)
  line('export', exported.seconds, exported.peakMb)
  line('COPY FROM, with all indexes', into)
  line('import, with a first start', imported.seconds, imported.peakMb)
} finally {
  await client.end()
  await server.stop()
  rmSync(directory, { recursive: true, force: true })
}

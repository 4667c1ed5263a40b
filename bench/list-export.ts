import { readFileSync } from 'node:fs'
import { get } from 'node:http'
import pg from 'pg'
import { type OwnServer, startOwnServer } from './own-server.ts'

/**
 * `node bench/list-export.ts [rows rounds]`: exports a list of accounts as NDJSON and as CSV, in turns with `COPY` of
 * the same rows, and shows the processor time of each row, because the machine may be busy.
 */
const [rows = 1_000_000, rounds = 3] = process.argv.slice(2).map(Number)
const perStatement = 50_000
/** The end of a response of PostgreSQL: it is ready for the next query. */
const ready = Buffer.from([90, 0, 0, 0, 5, 73])

interface Run {
  readonly seconds: number
  readonly nodeUs: number
  readonly postgresUs: number
  readonly peakMb: number
  readonly bytes: number
}

const server = await startOwnServer()
try {
  const storeId = await seed(server)
  const ways: Readonly<Record<string, () => Promise<number>>> = {
    'COPY … TO STDOUT': () => copy(storeId),
    'application/x-ndjson': () => exported('application/x-ndjson'),
    'text/csv': () => exported('text/csv'),
  }
  const runs = new Map<string, Run[]>()
  process.stdout.write(`${rows} accounts; ${memoryMb('VmRSS')} MB before\n`)
  for (let round = 0; round < rounds; round++) {
    for (const [name, way] of Object.entries(ways)) {
      runs.set(name, [...(runs.get(name) ?? []), await measure(way)])
      await recorded()
    }
  }
  const median = (name: string, of: (run: Run) => number) =>
    (runs.get(name) ?? []).map(of).sort((a, b) => a - b)[Math.floor(rounds / 2)] as number
  process.stdout.write(
    '| | seconds | of COPY | Node, µs per row | PostgreSQL, µs per row | peak memory of Node, MB | MB |\n|---|--:|--:|--:|--:|--:|--:|\n',
  )
  const [copyName = ''] = Object.keys(ways)
  for (const name of Object.keys(ways)) {
    const seconds = median(name, (run) => run.seconds)
    const cells = [
      seconds.toFixed(1),
      `${Math.round((100 * median(copyName, (run) => run.seconds)) / seconds)} %`,
      median(name, (run) => run.nodeUs).toFixed(2),
      median(name, (run) => run.postgresUs).toFixed(2),
      Math.max(...(runs.get(name) ?? []).map(({ peakMb }) => peakMb)),
      Math.round(median(name, (run) => run.bytes) / 1e6),
    ]
    process.stdout.write(`| ${name} | ${cells.join(' | ')} |\n`)
  }
} finally {
  await server.stop()
}

async function seed({ database }: OwnServer): Promise<string> {
  const [store] = await database.run({ text: 'SELECT id FROM stores LIMIT 1', values: [] })
  const storeId = store?.[0] as string
  for (let from = 1; from <= rows; from += perStatement) {
    await database.run({
      text: `INSERT INTO accounts (store_id, id, created_at, updated_at, doc)
        SELECT $1, gen_random_uuid(), t, t, json_build_object('name', 'Account ' || i,
          'legal_name', 'Company ' || i % 1000 || ' Ltd', 'registration_id', 'R' || i, 'external_ref', 'ext-' || i)
        FROM (SELECT i, timestamptz '2026-01-01' + i * interval '20 ms' AS t FROM generate_series($2::int, $3::int) i) s`,
      values: [storeId, from, Math.min(rows, from + perStatement - 1)],
      long: true,
    })
    await database.run({ text: 'SELECT sequence_store($1)', values: [storeId], long: true })
  }
  await database.run({ text: 'VACUUM ANALYZE', values: [], long: true })
  return storeId
}

async function measure(way: () => Promise<number>): Promise<Run> {
  let peakMb = memoryMb('VmRSS')
  const watch = setInterval(() => {
    peakMb = Math.max(peakMb, memoryMb('VmRSS'))
  }, 100)
  const before = { node: cpuMs(server.pid), postgres: await postgresMs() }
  const began = performance.now()
  const bytes = await way()
  const seconds = (performance.now() - began) / 1000
  clearInterval(watch)
  return {
    seconds,
    bytes,
    peakMb,
    nodeUs: ((cpuMs(server.pid) - before.node) * 1000) / rows,
    postgresUs: (((await postgresMs()) - before.postgres) * 1000) / rows,
  }
}

/** The processor time of the backends, as far as they are still there. */
async function postgresMs(): Promise<number> {
  const backends = await server.database.run({
    text: `SELECT pid FROM pg_stat_activity WHERE backend_type IN ('client backend', 'parallel worker')`,
    values: [],
  })
  return backends.reduce((sum, [pid]) => sum + cpuMs(Number(pid)), 0)
}

function cpuMs(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
    return (Number(fields[11]) + Number(fields[12])) * 10
  } catch {
    return 0
  }
}

function memoryMb(name: string): number {
  const [, kb] =
    new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${server.pid}/status`, 'utf8')) ?? []
  return Math.round(Number(kb) / 1024)
}

function exported(accept: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const headers = { accept, authorization: `Bearer ${server.token}` }
  get(`${server.url}/v2/accounts`, { headers }, (response) => {
    let bytes = 0
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length
    })
    response.on('error', reject)
    response.on('end', () => {
      const { 'sutler-sent-count': sent } = response.trailers
      if (Number(sent) === rows) resolve(bytes)
      else reject(new Error(`${response.statusCode}: ${sent} rows`))
    })
  })
  return promise
}

/** The client counts bytes, and reads nothing else of them. */
async function copy(storeId: string): Promise<number> {
  const client = new pg.Client(server.databaseUrl)
  await client.connect()
  const { stream } = (client as unknown as { connection: pg.Connection }).connection
  const parse = stream.listeners('data') as ((chunk: Buffer) => void)[]
  stream.removeAllListeners('data')
  const text = `COPY (SELECT id, created_at AT TIME ZONE 'UTC', updated_at AT TIME ZONE 'UTC', doc FROM accounts
    WHERE store_id = '${storeId}' ORDER BY created_at DESC, id DESC) TO STDOUT\0`
  const query = Buffer.alloc(5 + text.length)
  query.write('Q')
  query.writeUInt32BE(4 + text.length, 1)
  query.write(text, 5)
  const bytes = await new Promise<number>((done) => {
    let count = 0
    stream.on('data', (chunk: Buffer) => {
      count += chunk.length
      if (chunk.subarray(-6).equals(ready)) done(count)
    })
    stream.write(query)
  })
  // Ended by the driver, after its backend was counted.
  setTimeout(() => {
    stream.removeAllListeners('data')
    for (const listener of parse) stream.on('data', listener)
    void client.end()
  }, 1000)
  return bytes
}

/** Waits until the reads of an export are recorded. */
async function recorded(): Promise<void> {
  for (let waiting = 1; waiting > 0; ) {
    await new Promise((done) => setTimeout(done, 1000))
    const [row] = await server.database.run({
      text: `SELECT count(*) FROM graphile_worker.jobs WHERE task_identifier LIKE '%record-export-reads'`,
      values: [],
    })
    waiting = Number(row?.[0])
  }
}

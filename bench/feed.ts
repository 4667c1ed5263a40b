import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { pino } from 'pino'
import { Sequencer } from '../server/kernel/feed/sequence-changes.ts'
import { newId } from '../server/kernel/ids.ts'
import { Database } from '../server/kernel/storage/database.ts'
import { Nodes } from '../server/kernel/storage/nodes/nodes.ts'
import { migrate } from '../server/kernel/upgrades/migrate.ts'
import { startEmbedded } from '../server/platform/postgres/embedded.ts'

/**
 * `node bench/feed.ts [seconds rounds]`: measures the cost of the change feed for a write, and the time from a commit
 * until the change has its position. Procedures inside PostgreSQL insert accounts one by one, each in its own
 * transaction, so that no client's time counts. The rounds alternate, because the machine may be busy.
 */
const [seconds = 3, rounds = 5] = process.argv.slice(2).map(Number)
const storeId = newId()

const home = mkdtempSync(join(tmpdir(), 'sutler-feed-'))
const embedded = await startEmbedded(home)
const database = new Database(embedded.url, 4)
const log = pino({ level: 'error' })
try {
  await migrate(database)
  await run(`INSERT INTO organisations VALUES ('${storeId}', 'Bench', now())`)
  await run(`INSERT INTO stores VALUES ('${storeId}', '${storeId}', 'Bench', now())`)
  await run(`CREATE PROCEDURE write_accounts(seconds float8, INOUT written integer) LANGUAGE plpgsql AS $$
    DECLARE until timestamptz := clock_timestamp() + seconds * interval '1 s';
    BEGIN
      WHILE clock_timestamp() < until LOOP
        INSERT INTO accounts (store_id, id, created_at, updated_at, doc)
        SELECT '${storeId}', gen_random_uuid(), clock_timestamp(), clock_timestamp(),
          json_build_object('name', 'Account ' || written, 'legal_name', 'Company', 'note', repeat('x', 300))
        FROM set_config('sutler.by', '${newId()} ${newId()} 2026-01-01T00:00:00.000Z', true);
        COMMIT;
        written := written + 1;
      END LOOP;
    END $$`)
  await costs()
  await lags()
} finally {
  await database.close()
  await embedded.stop()
  rmSync(home, { recursive: true, force: true })
}

async function run(text: string): Promise<readonly (readonly (string | null)[])[]> {
  return database.run({ text, values: [], once: true })
}

async function connect(): Promise<pg.Client> {
  const client = new pg.Client(embedded.url)
  client.on('error', () => {})
  await client.connect()
  return client
}

interface Cost {
  readonly perSecond: number
  /** Processor time of the writers and of the sequencer, and log written, for each write. */
  readonly writerUs: number
  readonly sequencerUs: number
  readonly walBytes: number
}

async function costs(): Promise<void> {
  const triggers = {
    'no triggers': 'ALTER TABLE accounts DISABLE TRIGGER USER',
    'the feed': 'ALTER TABLE accounts ENABLE TRIGGER USER',
  }
  // After a checkpoint PostgreSQL logs whole pages. That is not a cost of the feed.
  await run('ALTER SYSTEM SET full_page_writes = off')
  await run('SELECT pg_reload_conf()')
  process.stdout.write('| writers | | writes/s | writers, µs each | sequencer, µs each | log, bytes each |\n')
  process.stdout.write('|--:|---|--:|--:|--:|--:|\n')
  for (const writers of [8, 16]) {
    const measured = new Map<string, Cost[]>(Object.keys(triggers).map((name) => [name, []]))
    for (let round = 0; round < rounds; round++) {
      for (const [name, change] of Object.entries(triggers)) {
        await run('TRUNCATE accounts, fresh_changes, changes, list_deltas CASCADE')
        await run(change)
        measured.get(name)?.push(await measure(writers))
      }
    }
    for (const [name, all] of measured) {
      const of = (key: keyof Cost) => Math.round(median(all.map((one) => one[key]))).toLocaleString('en')
      process.stdout.write(
        `| ${writers} | ${name} | ${of('perSecond')} | ${of('writerUs')} | ${of('sequencerUs')} | ${of('walBytes')} |\n`,
      )
    }
  }
}

async function measure(writers: number): Promise<Cost> {
  const clients = await Promise.all(Array.from({ length: writers }, connect))
  const own = new Database(embedded.url, 1)
  const [[sequencerPid] = []] = await own.run({ text: 'SELECT pg_backend_pid()', values: [] })
  const sequencer = new Sequencer(own, new Nodes(own), log)
  const waking = setInterval(() => sequencer.wake(storeId), 5)
  const pids = await Promise.all(
    clients.map(async (client) => (await client.query('SELECT pg_backend_pid() AS pid')).rows[0].pid),
  )
  const spent = () => pids.reduce((sum, pid) => sum + processorUs(pid), 0)
  const [[wal] = []] = await run('SELECT pg_current_wal_lsn()')
  const [writersBefore, sequencerBefore, began] = [spent(), processorUs(sequencerPid), performance.now()]
  const answers = await Promise.all(
    clients.map((client) => client.query(`CALL write_accounts(${seconds}, 0)`)),
  )
  const tookMs = performance.now() - began
  const written = answers.reduce((sum, { rows }) => sum + rows[0].written, 0)
  const writerUs = (spent() - writersBefore) / written
  for (let waiting = 1; waiting > 0; await sleep(5)) {
    waiting = Number((await run('SELECT count(*) FROM fresh_changes'))[0]?.[0])
  }
  const sequencerUs = (processorUs(sequencerPid) - sequencerBefore) / written
  const [[bytes] = []] = await run(`SELECT pg_current_wal_lsn() - '${wal}'::pg_lsn`)
  clearInterval(waking)
  await sequencer.stop()
  await Promise.all([own.close(), ...clients.map((client) => client.end())])
  return { perSecond: (written * 1000) / tookMs, writerUs, sequencerUs, walBytes: Number(bytes) / written }
}

/** The processor time of a process, if the system reports it. */
function processorUs(pid: unknown): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return (Number(fields[11]) + Number(fields[12])) * 10_000
  } catch {
    return Number.NaN
  }
}

async function lags(): Promise<void> {
  process.stdout.write('\n| other writes | lag p50, ms | p99, ms |\n|---|--:|--:|\n')
  const own = new Database(embedded.url, 1)
  const sequencer = new Sequencer(own, new Nodes(own), log)
  for (const [name, writers, everyMs] of [
    ['none', 0, 0],
    ['8 writers, 10 ms apart', 8, 10],
    ['8 writers without a pause', 8, 0],
  ] as const) {
    await run('TRUNCATE accounts, fresh_changes, changes, list_deltas CASCADE')
    let writing = true
    const others = Array.from({ length: writers }, async () => {
      const client = await connect()
      while (writing) {
        await client.query('CALL write_accounts($1, 0)', [everyMs ? 0.001 : 0.05])
        sequencer.wake(storeId)
        if (everyMs) await sleep(everyMs)
      }
      await client.end()
    })
    const all = await probe(sequencer, seconds * 2)
    writing = false
    await Promise.all(others)
    const [p50, p99] = [0.5, 0.99].map((part) => all[Math.floor(all.length * part)] as number)
    process.stdout.write(`| ${name} | ${p50?.toFixed(1)} | ${p99?.toFixed(1)} |\n`)
  }
  await sequencer.stop()
  await own.close()
}

/** How long changes of one writer take from their commit until a reader sees them, in order. */
async function probe(sequencer: Sequencer, forSeconds: number): Promise<readonly number[]> {
  const [writer, reader] = [await connect(), await connect()]
  const took: number[] = []
  for (const until = performance.now() + forSeconds * 1000; performance.now() < until; ) {
    const id = newId()
    await writer.query(
      `INSERT INTO account_tags (store_id, id, created_at, updated_at, doc)
       VALUES ($1, $2, now(), now(), json_build_object('name', $3::text))`,
      [storeId, id, id],
    )
    const committed = performance.now()
    sequencer.wake(storeId)
    const query =
      'SELECT FROM (SELECT id FROM changes WHERE store_id = $1 ORDER BY position DESC LIMIT 5000) c WHERE id = $2'
    while (!(await reader.query(query, [storeId, id])).rowCount) await sleep(1)
    took.push(performance.now() - committed)
    await sleep(20)
  }
  await Promise.all([writer.end(), reader.end()])
  return took.sort((a, b) => a - b)
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] as number
}

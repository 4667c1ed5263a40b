import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { Database } from '../server/kernel/storage/database.ts'
import { Nodes } from '../server/kernel/storage/nodes/nodes.ts'
import { Store } from '../server/kernel/storage/store.ts'
import type { Instance } from '../server/kernel/work/context.ts'
import { Outbox } from '../server/kernel/work/outbox.ts'
import { queue, queueLong } from '../server/kernel/work/queue.ts'

/**
 * `node bench/job-outbox.ts <url of a coordinator> <seconds> [command …]`: 8 writers and two outboxes queue jobs in
 * transactions that also write a row of their store. Each command is run in turns meanwhile: let it kill a node with
 * `kill -9` and start it again. Fails unless each row that an acknowledged transaction wrote has its job once in the
 * queue of the coordinator, and no job is without its row. It needs a distributed database of its own.
 */
class Undone extends Error {}

const [url = '', seconds = '30', ...commands] = process.argv.slice(2)
const log = pino({ level: 'silent' })
const stores = Array.from({ length: 8 }, () => randomUUID())
const now = () => new Date()

const root = new Database(url, 2)
const ask = async (text: string, ...values: unknown[]) => root.run({ text, values, once: true })
await prepare()

const untilMs = Date.now() + Number(seconds) * 1000
const acknowledged = new Set<string>()
const latenciesMs: number[] = []
const lastKeyed = new Map<string, readonly string[]>()
let refused = 0
let killed = 0
const instances = await Promise.all([0, 1].map(open))
await Promise.all([
  ...stores.map((store, i) => write(instances[i % 2] as Means, store)),
  ...(commands.length ? [kill()] : []),
])
// What the poll finds. Nobody wakes the outbox any more.
const left = 'SELECT (SELECT count(*) FROM job_outbox) + (SELECT count(*) FROM moved_jobs)'
const drainedMs = Date.now()
while (Number((await ask(left).catch(() => undefined))?.[0]?.[0] ?? 1) > 0 && Date.now() < drainedMs + 60_000)
  await sleep(100)
await Promise.all(instances.map(({ stop }) => stop()))
await report()
await root.close()

interface Means extends Pick<Instance, 'database' | 'outbox'> {
  stop(): Promise<void>
}

async function open(): Promise<Means> {
  const database = new Database(url, 8)
  const outbox = await Outbox.open(database, new Nodes(database), log)
  if (!outbox) throw new Error('the tables of this database are not distributed')
  return {
    ...{ database, outbox },
    async stop() {
      await outbox.stop()
      await database.close()
    },
  }
}

async function prepare(): Promise<void> {
  await ask(`CREATE TABLE IF NOT EXISTS job_marks (store_id uuid, mark text, PRIMARY KEY (store_id, mark))`)
  await ask(`SELECT create_distributed_table('job_marks', 'store_id', colocate_with => 'stores')
    WHERE NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = 'job_marks'::regclass)`)
  const [organisation] = await ask(`INSERT INTO organisations (id, name, created_at)
    VALUES (gen_random_uuid(), 'Bench', now()) RETURNING id`)
  for (const store of stores)
    await ask(`INSERT INTO stores VALUES ($1, $2, 'Bench', now())`, store, organisation?.[0])
}

/** Every fifth job is long, and every seventh replaces one that may still wait. */
async function write(instance: Means, id: string): Promise<void> {
  const means = (store: Store) => ({ store, instance: instance as unknown as Instance })
  const outside = new Store(id, instance.database, now, 'bench ')
  for (let i = 0; Date.now() < untilMs; i++) {
    const isLong = i % 5 === 0
    const mark = `${!isLong && i % 7 === 0 ? 'key' : 'job'} ${randomUUID()}`
    const key = mark.startsWith('key') ? 'one' : undefined
    if (key) lastKeyed.set(id, [...(lastKeyed.get(id) ?? []), mark])
    try {
      await outside.transaction(async (store) => {
        await store.run('INSERT INTO job_marks VALUES ($1, $2)', mark)
        if (isLong) await queueLong(means(store), { name: 'bench:long' }, { mark })
        else await queue(means(store), { name: 'bench:short', attemptsMax: 1 }, { mark }, key ? { key } : {})
        if (i % 11 === 0) throw new Undone()
      })
      acknowledged.add(mark)
      instance.outbox?.wake(id)
      if (i % 20 === 1 && !key) await timeArrival(id, mark)
    } catch (error) {
      if (error instanceof Undone) continue
      refused++
      await sleep(50)
    }
  }
}

async function timeArrival(store: string, mark: string): Promise<void> {
  const beganMs = performance.now()
  while (Date.now() < untilMs) {
    const [row] = await ask(
      `SELECT 1 FROM graphile_worker._private_jobs WHERE payload->>'store' = $1 AND payload->'payload'->>'mark' = $2`,
      store,
      mark,
    )
    if (row) return void latenciesMs.push(performance.now() - beganMs)
    await sleep(2)
  }
}

async function kill(): Promise<void> {
  for (let i = 0; Date.now() + 8000 < untilMs; i++) {
    await sleep(4000)
    execFileSync('sh', ['-c', commands[i % commands.length] as string], { stdio: 'inherit' })
    killed++
  }
}

async function report(): Promise<void> {
  const marks = new Set(
    (await ask('SELECT mark FROM job_marks WHERE store_id = ANY($1)', stores)).map(
      ([mark]) => mark as string,
    ),
  )
  const jobs = await ask(
    `SELECT payload->'payload'->>'mark', key FROM graphile_worker._private_jobs
      WHERE payload->>'store' = ANY($1)
    UNION ALL SELECT payload->>'mark', NULL FROM long_jobs WHERE store_id = ANY($1::uuid[])`,
    stores,
  )
  const arrived = jobs.map(([mark]) => mark as string)
  const inQueue = new Set(arrived)
  const missing = [...marks].filter((mark) => mark.startsWith('job') && !inQueue.has(mark))
  const last = stores.flatMap((store) => lastKeyed.get(store)?.findLast((mark) => marks.has(mark)) ?? [])
  const keyed = arrived.filter((mark) => mark.startsWith('key'))
  const figures = {
    acknowledged: acknowledged.size,
    refused,
    'acknowledged, and without a row': [...acknowledged].filter((mark) => !marks.has(mark)).length,
    'jobs of the queue': jobs.length,
    'jobs twice': arrived.length - new Set(arrived).size,
    'jobs without a row': arrived.filter((mark) => !marks.has(mark)).length,
    'rows without a job': missing.length,
    'stores whose key has another job than the last': last.filter((mark) => !keyed.includes(mark)).length,
    'jobs that a later one should have replaced': keyed.length - last.length,
    'nodes killed': killed,
    'left in the outbox': (await ask(left))[0]?.[0],
    'ms until a job is in the queue, median and 95 %': `${quantile(0.5)} ${quantile(0.95)}`,
  }
  for (const [what, value] of Object.entries(figures)) process.stdout.write(`${what}: ${value}\n`)
  const faults = [
    figures['acknowledged, and without a row'],
    figures['jobs twice'],
    figures['jobs without a row'],
    figures['rows without a job'],
    figures['stores whose key has another job than the last'],
    figures['jobs that a later one should have replaced'],
    Number(figures['left in the outbox']),
  ]
  if (faults.some((n) => n !== 0)) process.exitCode = 1
}

function quantile(q: number): string | undefined {
  return latenciesMs.toSorted((a, b) => a - b)[Math.floor(q * latenciesMs.length)]?.toFixed(0)
}

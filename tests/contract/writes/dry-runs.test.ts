import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import {
  cannotRehearse,
  isRehearsable,
  isSilentDelete,
  type Operation,
} from '../../../server/kernel/declare/operation.ts'
import { operations, Samples } from '../../builders/samples.ts'
import { databaseUrl } from '../../support/own-database.ts'
import { until } from '../../support/until.ts'
import { openWorld, type World } from '../../support/world.ts'
import { appAndWorkshop } from '../../workshop/index.ts'
import { operationTraits, representativesOf } from '../classes.ts'
import { steady } from '../steady.ts'

/** The law of dry runs: each is answered as the real request is, and changes nothing. */

let world: World
let samples: Samples
/** PostgreSQL plans the hashes of all tables once for it: that takes longer than to read them. */
let reader: pg.Client
let hashes: string
/** The tables whose deleted rows are objects of the API. */
let ofObjects: ReadonlySet<string>
beforeAll(async () => {
  world = await openWorld({ ...appAndWorkshop, alone: true })
  samples = new Samples(world.admin, world.work)
  const { rows } = await world.sql(
    `SELECT c.oid::regclass::text AS name, EXISTS (
       SELECT FROM pg_trigger g JOIN pg_proc p ON p.oid = g.tgfoid
       WHERE g.tgrelid = c.oid AND g.tgname = 'track' AND p.proname LIKE '%\\_tracked') AS "isOfObjects"
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE c.relkind = 'r' AND n.nspname = 'public' ORDER BY 1`,
  )
  ofObjects = new Set(rows.filter(({ isOfObjects }) => isOfObjects).map(({ name }) => name))
  const hashed = rows
    .map(({ name }): string => name)
    .filter((name) => !(name in changesByItself) && !name.startsWith('changes_'))
  hashes = [...hashed.map(writesOf), feedHash, totalsHash, sumsHash].join(' UNION ALL ')
  reader = new pg.Client(databaseUrl(inject('postgres'), world.database))
  await reader.connect()
  // PostgreSQL would take parallel workers for so many tables: 20 ms to start them, for 1 ms of work.
  await reader.query('SET max_parallel_workers_per_gather = 0')
})
afterAll(async () => {
  await reader.end()
  await world.close()
})

/** What has written the rows of a table, and where: cheaper than to read the rows, and no less strict. */
const writesOf = (name: string) =>
  `SELECT '${name}' AS name, count(*)::int AS n, sum(hashtextextended(xmin || ' ' || ctid, 0))::text AS hash FROM ${name}`

const hashOf = (name: string, rows: string) =>
  `SELECT '${name}' AS name, count(*)::int AS n, sum(hashtextextended(t::text, 0))::text AS hash FROM ${rows} t`

/** What the feed has, whether the sequencer has seen it or not. */
const feedColumns = 'store_id, at, event, type, id, version'
const feedHash = hashOf(
  'the feed',
  `(SELECT ${feedColumns} FROM changes UNION SELECT ${feedColumns} FROM fresh_changes)`,
)

/** What lists count, whether it has been added up or not. */
const counted = 'store_id, list, scope, n'
const totalsHash = hashOf(
  'the totals of lists',
  `(SELECT store_id, list, scope, sum(n) FROM
     (SELECT ${counted} FROM list_totals UNION ALL SELECT ${counted} FROM list_deltas) c
    WHERE list NOT LIKE 'integration%' GROUP BY store_id, list, scope HAVING sum(n) <> 0)`,
)

const summed = 'store_id, currency, orders, value, discount'
const sumsHash = hashOf(
  'the sums of orders',
  `(SELECT store_id, currency, sum(orders), sum(value) + 0.00, sum(discount) + 0.00 FROM
     (SELECT ${summed} FROM order_sums WHERE grain = 'day' UNION ALL SELECT ${summed} FROM order_sum_changes) c
    GROUP BY store_id, currency)`,
)

/** Tables that change without a request, or by design, each with the reason. */
const changesByItself: Readonly<Record<string, string>> = {
  processes: 'heartbeats',
  feeds: 'where the sequencer is; the feed is compared',
  feed_days: 'the sequencer counts changes; the feed is compared',
  fresh_changes: 'the sequencer empties it; the feed is compared',
  order_sums: 'added up; the sums are compared',
  order_sum_changes: 'added up; the sums are compared',
  list_totals: 'added up; the totals are compared',
  list_deltas: 'added up; the totals are compared',
  list_moves: 'moved into blocks',
  list_blocks: 'what was moved is added up',
  integration_jobs: 'deliveries of earlier events',
  integration_logs: 'deliveries of earlier events',
  integration_failures: 'deliveries of earlier events',
  feed_readers: 'where the deliveries of events are in the feed',
  personal_data_reads: 'a dry run shows personal data, and that is recorded, a moment later',
}

interface TableRow {
  readonly name: string
  readonly n: number
  readonly hash: string
}

type Tables = ReadonlyMap<string, Omit<TableRow, 'name'>>

async function readTables(): Promise<Tables> {
  const { rows } = await reader.query<TableRow>({ name: 'tables', text: hashes })
  return new Map(rows.map(({ name, n, hash }) => [name, { n, hash }]))
}

async function isJobWaiting(): Promise<boolean> {
  const { rows } = await world.sql(
    `SELECT EXISTS (SELECT FROM long_jobs WHERE next_try_at <= now()) OR EXISTS (
       SELECT FROM graphile_worker._private_jobs WHERE run_at <= now() AND attempts < max_attempts) AS "isWaiting"`,
  )
  return rows[0].isWaiting
}

/** The tables when jobs have done what earlier requests have left to them. */
async function settledTables(): Promise<Tables> {
  await until(async () => !(await isJobWaiting()) || undefined)
  let before = await readTables()
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 60))
    const now = await readTables()
    if (changedBetween(before, now).length === 0) return now
    before = now
  }
}

const changedBetween = (before: Tables, now: Tables): readonly string[] =>
  [...now].filter(([name, { hash }]) => before.get(name)?.hash !== hash).map(([name]) => name)

/** How many objects have gone. */
const goneBetween = (before: Tables, now: Tables): number =>
  [...now]
    .filter(([name]) => ofObjects.has(name))
    .reduce((sum, [name, { n }]) => sum + Math.max(0, (before.get(name)?.n ?? 0) - n), 0)

/** The jobs that wait. Chores come by the clock. */
async function readJobs(): Promise<ReadonlyMap<string, string>> {
  const { rows } = await world.sql(
    "SELECT id::text, payload::text FROM graphile_worker._private_jobs WHERE payload->'_cron' IS NULL",
  )
  return new Map(rows.map(({ id, payload }) => [id, payload]))
}

interface Request {
  readonly path: string
  readonly body: unknown
}

type Headers = Readonly<Record<string, string>>

async function send({ method }: Operation, { path, body }: Request, headers: Headers = {}) {
  const isForm = body instanceof FormData
  const reply = await fetch(world.url + path, {
    method,
    redirect: 'manual',
    headers: {
      authorization: `Bearer ${world.admin.token}`,
      ...(body !== undefined && !isForm && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
  })
  const text = await reply.text()
  return { status: reply.status, text, applied: reply.headers.get('preference-applied') }
}

const dryRun = { prefer: 'dry-run' }
const shownIn = ({ status, text }: { readonly status: number; readonly text: string }) =>
  steady(`${status} ${text}`)

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?!.*[0-9a-f]{8}-)/

/** Requests that a faultless one becomes by one fault. */
const faults: Readonly<Record<string, (call: Request) => { call: Request; headers?: Headers }>> = {
  'with an old If-Match': (call) => ({ call, headers: { 'if-match': 'W/"old"' } }),
  'of an object that is not there': (call) => ({
    call: { ...call, path: call.path.replace(uuid, randomUUID()) },
  }),
  'with an empty object as its body': ({ path }) => ({ call: { path, body: {} } }),
  'with a wrong type': ({ path }) => ({ call: { path, body: { data: { type: 'no such type' } } } }),
  'with a list of nothing': ({ path }) => ({ call: { path, body: { data: [null] } } }),
}

const writing = operations.filter(({ method, access }) => method !== 'GET' && access !== 'read')
const refusing = writing.filter((operation) => !isRehearsable(operation))

const rehearsable = writing.filter(isRehearsable)
const representatives = representativesOf(rehearsable, operationTraits)
/**
 * Those whose faulty requests are tried, too. A refusal of the others runs the same code, dry or not: the kernel undoes
 * what it has done. What calls out or takes a file has code of its own for a dry run.
 */
const tryFaults = new Set([
  ...representatives,
  ...rehearsable.filter(({ of }) => of.is === 'action' && (of.action.callsOut || of.action.upload)),
])

/** Operations whose dry run does not know what another server would answer. */
const foreseen = ['ship-crate']

test('few operations refuse dry runs', () => {
  expect(refusing.map(({ id }) => id)).toEqual([
    ...['get-access-token', 'create-one-time-password-token-request', 'create-account-member-tokens'],
    ...['create-customer-token', 'create-colleague-token', 'request-colleague-one-time-password'],
    ...['change-own-password', 'hear-stripe', 'test-integration'],
  ])
})

test.each(refusing)('$id refuses a dry run with its reason, and changes nothing', async (operation) => {
  const path = await samples.pathOf(operation)
  const before = await settledTables()
  const reply = await send(operation, { path, body: undefined }, dryRun)
  expect([reply.status, JSON.parse(reply.text).errors[0]]).toEqual([
    400,
    expect.objectContaining({
      source: 'Prefer',
      detail: expect.stringContaining(cannotRehearse(operation) ?? 'no reason'),
    }),
  ])
  expect(changedBetween(before, await readTables())).toEqual([])
})

describe.each(rehearsable)('$id', (operation) => {
  test('a dry run is answered as the real request, and changes nothing', { timeout: 60_000 }, async () => {
    // Some samples take no second job beside one that runs.
    await until(async () => !(await isJobWaiting()) || undefined)
    const call = await samples.call(operation)
    const tried = tryFaults.has(operation) ? Object.entries(faults) : []
    const wrong = tried.map(([name, faulty]) => ({ name, ...faulty(call) }))
    const before = await settledTables()
    const jobsBefore = await readJobs()
    const refused = []
    for (const one of wrong) {
      const dry = await send(operation, one.call, { ...one.headers, ...dryRun })
      expect(dry.status, one.name).toBeLessThan(500)
      // Some operations read no If-Match, or no body: the real request would do what the next one expects to do.
      if (dry.status >= 400) refused.push({ ...one, dry })
    }
    const dry = await send(operation, call, dryRun)
    const after = await readTables()
    expect(changedBetween(before, after)).toEqual([])
    const jobs = [...(await readJobs())].filter(([id]) => !jobsBefore.has(id))
    expect(jobs, 'new jobs').toEqual([])
    for (const { name, call: faulty, headers, dry } of refused)
      expect(shownIn(dry), name).toBe(shownIn(await send(operation, faulty, headers)))
    const real = await send(operation, call)
    if (real.status < 400) expect(dry.applied).toBe('dry-run')
    if (isSilentDelete(operation) && real.status < 400) {
      const { would_delete: counts } = JSON.parse(dry.text).meta as { would_delete: Record<string, number> }
      const total = Object.values(counts).reduce((sum, n) => sum + n, 0)
      expect([dry.status, total]).toEqual([200, goneBetween(after, await readTables())])
    } else if (foreseen.includes(operation.id)) {
      expect(dry.status).toBe(real.status)
    } else {
      expect(shownIn(dry)).toBe(shownIn(real))
    }
  })
})

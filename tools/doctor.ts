import { statfs } from 'node:fs/promises'
import packageJson from '../package.json' with { type: 'json' }
import type { Config } from '../server/config.ts'
import type { Clock } from '../server/kernel/clock.ts'
import { Database } from '../server/kernel/storage/database.ts'
import { Directory } from '../server/kernel/storage/nodes/directory.ts'
import { urlOfNode } from '../server/kernel/storage/nodes/homes.ts'
import { faultOfNode } from '../server/kernel/storage/nodes/node.ts'
import { Nodes } from '../server/kernel/storage/nodes/nodes.ts'
import { citusSettings, settingsOfNodes } from '../server/kernel/upgrades/citus.ts'
import { nodesThatLack } from '../server/kernel/upgrades/distribution.ts'
import { pendingMigrations } from '../server/kernel/upgrades/migrations.ts'
import { ways } from './doctor-ways.ts'
import { type Examination, finding } from './finding.ts'

type Ask = (text: string, ...values: readonly unknown[]) => Promise<readonly (string | null)[]>

const gigabyte = 1e9
/** Tokens and signed links are good for minutes; half a minute of them may be lost. */
const clockMaxS = { warning: 2, fault: 30 }
const oldTransactionS = 3600

/** Looks over a database, and changes nothing. */
export async function examine(
  database: Database,
  config: Config,
  unknownSettings: readonly string[],
  clock: Clock,
): Promise<readonly Examination[]> {
  const ask: Ask = async (text, ...values) => (await database.run({ text, values, once: true }))[0] ?? []
  const [hasSchema] = await ask(`SELECT to_regclass('processes')`)
  return [
    ...(await versions(ask)),
    ...(await extensions(ask)),
    await rights(ask),
    ...(await disks(ask, config)),
    await clocks(ask, clock),
    await connections(ask, config, hasSchema !== null),
    ...(await ways(database, config)),
    ...(await settings(ask, unknownSettings)),
    await transactions(ask),
    await indexes(ask),
    ...(await distribution(database, ask)),
    ...(await nodes(database, config)),
    await migrations(database),
    ...(hasSchema === null ? [] : [await processes(ask), await jobs(ask), await longJobs(ask)]),
  ]
}

async function versions(ask: Ask): Promise<readonly Examination[]> {
  const [number, version] = await ask(
    `SELECT current_setting('server_version_num'), current_setting('server_version')`,
  )
  const major = Math.floor(Number(number) / 10_000)
  const isSupported = major >= 15 && major <= 18
  return [
    finding('version', `Sutler ${packageJson.version}, Node ${process.versions.node}`),
    finding('postgres', `PostgreSQL ${version}`, !isSupported && 'use PostgreSQL 15 to 18', 'fault'),
  ]
}

async function extensions(ask: Ask): Promise<readonly Examination[]> {
  const [missing, available] = await ask(`SELECT string_agg(n, ', ') FILTER (WHERE e.extname IS NULL),
      bool_and(e.extname IS NOT NULL OR a.name IS NOT NULL)
    FROM unnest(ARRAY['btree_gin', 'pg_trgm']) n
      LEFT JOIN pg_extension e ON e.extname = n LEFT JOIN pg_available_extensions a ON a.name = n`)
  if (missing == null) return [finding('extensions', 'btree_gin and pg_trgm are there')]
  return [
    available === 't'
      ? finding('extensions', `not created yet: ${missing}`, 'sutler migrate creates them')
      : finding('extensions', `missing: ${missing}`, 'install the contrib package of PostgreSQL', 'fault'),
  ]
}

async function rights(ask: Ask): Promise<Examination> {
  const [user, mayCreate, mayUseTemp, foreign] = await ask(`SELECT current_user,
    has_schema_privilege('public', 'CREATE'), has_database_privilege(current_database(), 'TEMP'),
    (SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
      AND NOT pg_has_role(relowner, 'USAGE'))`)
  if (mayCreate !== 't')
    return finding(
      'rights',
      `${user} may not create tables`,
      `GRANT CREATE ON SCHEMA public TO "${user}"`,
      'fault',
    )
  if (Number(foreign) > 0)
    return finding(
      'rights',
      `${user} does not own ${foreign} tables`,
      `migrations alter tables: make "${user}" their owner`,
      'fault',
    )
  return finding(
    'rights',
    `${user} owns the tables`,
    mayUseTemp !== 't' && `sutler migrate --plan copies samples: GRANT TEMP ON DATABASE … TO "${user}"`,
  )
}

async function disks(ask: Ask, { databaseUrl, dataDir }: Config): Promise<readonly Examination[]> {
  const [bytes, largest] = await ask(`SELECT pg_database_size(current_database()),
    (SELECT max(pg_total_relation_size(oid)) FROM pg_class WHERE relkind = 'r')`)
  const size = `the database has ${gigabytes(Number(bytes))}, its largest table ${gigabytes(Number(largest))}`
  if (databaseUrl) return [finding('disk', `${size}; look at the free space on its machine`)]
  const { bavail, bsize } = await statfs(dataDir)
  const free = bavail * bsize
  // A migration that rewrites a table needs its size once more.
  const isShort = free < Math.max(Number(largest) * 2, gigabyte)
  const advice = isShort && 'a migration may write the largest table anew: make twice its size free'
  return [finding('disk', `${size}; ${gigabytes(free)} are free`, advice)]
}

const gigabytes = (bytes: number) => `${(bytes / gigabyte).toFixed(2)} GB`

async function clocks(ask: Ask, clock: Clock): Promise<Examination> {
  const before = clock.now().getTime()
  const [seconds] = await ask('SELECT extract(epoch FROM clock_timestamp())')
  const middle = (before + clock.now().getTime()) / 2
  const apart = Math.abs(Number(seconds) * 1000 - middle) / 1000
  const says = `this machine and the database differ by ${apart.toFixed(1)} s`
  const advice = apart > clockMaxS.warning && 'let both follow a time server (NTP)'
  return finding('clock', says, advice, apart > clockMaxS.fault ? 'fault' : 'warning')
}

async function connections(ask: Ask, config: Config, hasProcesses: boolean): Promise<Examination> {
  const [max, used] = await ask(`SELECT current_setting('max_connections')::int
      - current_setting('superuser_reserved_connections')::int, (SELECT count(*) FROM pg_stat_activity
      WHERE backend_type = 'client backend')`)
  const [live] = hasProcesses
    ? await ask(`SELECT count(*) FROM processes WHERE NOT has_ended AND seen_at > now() - interval '5 s'`)
    : ['0']
  const advice =
    Number(used) > Number(max) * 0.8 &&
    `raise max_connections, or lower SUTLER_DATABASE_CONNECTIONS (${config.databaseConnections})`
  return finding('connections', `${used} of ${max} are in use; processes that serve: ${live}`, advice)
}

/** Settings of PostgreSQL that lose writes, or let a database rot. */
const needed = ['fsync', 'full_page_writes', 'synchronous_commit', 'autovacuum'] as const

async function settings(ask: Ask, unknownSettings: readonly string[]): Promise<readonly Examination[]> {
  const [off] = await ask(
    `SELECT string_agg(name, ', ') FROM pg_settings WHERE name = ANY($1) AND setting = 'off'`,
    needed,
  )
  return [
    off == null
      ? finding('settings', `${needed.join(', ')} are on`)
      : finding(
          'settings',
          `off in PostgreSQL: ${off}`,
          'turn them on: without them a crash loses writes',
          'fault',
        ),
    ...unknownSettings.map((name) =>
      finding('settings', `${name} is not a setting`, 'sutler config lists the settings'),
    ),
  ]
}

async function transactions(ask: Ask): Promise<Examination> {
  const [pid, app, seconds] =
    await ask(`SELECT pid, application_name, round(extract(epoch FROM now() - xact_start))
    FROM pg_stat_activity WHERE datname = current_database() AND xact_start IS NOT NULL AND pid <> pg_backend_pid()
    ORDER BY xact_start LIMIT 1`)
  if (pid == null) return finding('transactions', 'none is open')
  return finding(
    'transactions',
    `the oldest is open for ${seconds} s (process ${pid}, ${app})`,
    Number(seconds) > oldTransactionS && `it keeps old rows and locks: SELECT pg_terminate_backend(${pid})`,
  )
}

async function indexes(ask: Ask): Promise<Examination> {
  const [invalid] = await ask(
    `SELECT string_agg(indexrelid::regclass::text, ', ') FROM pg_index WHERE NOT indisvalid`,
  )
  return finding(
    'indexes',
    invalid == null ? 'all are valid' : `invalid: ${invalid}`,
    invalid != null && 'sutler migrate makes its own anew; drop others (DROP INDEX CONCURRENTLY)',
  )
}

/** The settings of each node that distributed tables need. */
async function distribution(database: Database, ask: Ask): Promise<readonly Examination[]> {
  const [uses] = await ask(`SELECT 1 FROM pg_extension WHERE extname = 'citus'`)
  if (!uses) return []
  const found = await settingsOfNodes(database)
  const lacking = (await nodesThatLack(database.pool)).map(({ node, what }) =>
    finding('citus', `${node} lacks ${what}`, 'no store can be there: call sutler distribute', 'fault'),
  )
  const settings = citusSettings.map(({ name, isRight, wanted, about, isNeeded }) => {
    const wrong = found.filter((one) => one.name === name && !isRight(one.value))
    const says = wrong.length
      ? wrong.map(({ node, value }) => `${name} is ${value || 'unknown'} on ${node}`).join(', ')
      : `${name} is ${wanted} on each node: ${about}`
    return finding(
      'citus',
      says,
      wrong.length > 0 && `set it to ${wanted}: ${about}`,
      isNeeded ? 'fault' : 'warning',
    )
  })
  return [...settings, ...lacking]
}

/** Whether a process here reaches each node under the name that Citus has for it. */
async function nodes(database: Database, { databaseUrl }: Config): Promise<readonly Examination[]> {
  const [hasNodes] =
    (await database.run({ text: `SELECT to_regproc('is_distributed')`, values: [] }))[0] ?? []
  if (!databaseUrl || hasNodes == null || !(await new Nodes(database).areMany())) return []
  const directory = new Directory(database, 0)
  await directory.refresh()
  return Promise.all(
    directory.addresses.map(async (address) => {
      const node = new Database(urlOfNode(databaseUrl, address), 1)
      const fault = await faultOfNode(node, address)
      await node.close()
      const name = `${address.host}:${address.port}`
      return finding(
        'nodes',
        fault === undefined
          ? `${name} is reached from here`
          : `${name} is not reached from here: ${(fault as Error).message}`,
        fault !== undefined &&
          'until it is, the coordinator serves its stores, which takes more processor time',
      )
    }),
  )
}

async function migrations(database: Database): Promise<Examination> {
  const pending = await pendingMigrations(database)
  const [first] = pending
  return finding(
    'migrations',
    first ? `${pending.length} to apply, from ${first.name}` : 'all are applied',
    first && 'sutler migrate --plan says what they do',
  )
}

async function processes(ask: Ask): Promise<Examination> {
  const [all, versions] =
    await ask(`SELECT string_agg(version || ' × ' || n, ', ' ORDER BY version), count(*) FROM (
    SELECT version, count(*) AS n FROM processes
    WHERE NOT has_ended AND seen_at > now() - interval '5 s' GROUP BY version) live`)
  return finding(
    'processes',
    all == null ? 'none runs' : `running: ${all}`,
    Number(versions) > 1 && 'replace the older ones: migrations cannot finish before',
  )
}

async function jobs(ask: Ask): Promise<Examination> {
  const [waiting, failed, names] = await ask(`SELECT count(*) FILTER (WHERE attempts < max_attempts),
      count(*) FILTER (WHERE attempts >= max_attempts),
      string_agg(DISTINCT task_identifier, ', ') FILTER (WHERE attempts >= max_attempts)
    FROM graphile_worker.jobs`)
  return finding(
    'jobs',
    `${waiting} wait, ${failed} have failed`,
    Number(failed) > 0 && `the log says why (${names}); they are not tried again`,
  )
}

async function longJobs(ask: Ask): Promise<Examination> {
  const [count, waiting, reason] = await ask(
    `SELECT count(*), count(waiting_for), min(waiting_for) FROM long_jobs`,
  )
  return finding(
    'long jobs',
    `${count} are unfinished`,
    Number(waiting) > 0 && `${waiting} cannot go on: ${reason}`,
  )
}

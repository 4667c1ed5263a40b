import { setInterval as every } from 'node:timers'
import type { Logger } from 'pino'
import type { Reading } from './metrics.ts'

/** A figure of the whole database. One process asks for all of them. */
export interface DatabaseFigure {
  readonly name: string
  readonly about: string
  /** Where the rows of the statement are a label and a value. Otherwise its one row is the value. */
  readonly label?: string
  readonly sql: string
}

interface FigureStatement {
  readonly text: string
  readonly values: readonly unknown[]
  readonly once?: boolean
}

type FigureRows = readonly (readonly (string | null)[])[]

interface FigureReader {
  run(statement: FigureStatement): Promise<FigureRows>
}

interface FigureDatabase extends FigureReader {
  transaction<T>(work: (transaction: FigureReader) => Promise<T>): Promise<T>
}

/** What one process has found for all. */
interface FigureSample {
  readonly at: number
  readonly figures: Readonly<Record<string, readonly (readonly [label: string, value: number])[]>>
}

const sampleEveryMs = 10_000
/** Longer than two rounds, so that one slow round does not pass the lease on. */
const leaseS = 25
/** The statements of a round may not cost the database more than this. */
const statementMax = '5s'

const takeSql = `INSERT INTO database_figures AS f (is_only, leased_by, leased_until)
  VALUES (true, $1, clock_timestamp() + $2::integer * interval '1 second')
  ON CONFLICT (is_only) DO UPDATE SET leased_by = excluded.leased_by, leased_until = excluded.leased_until
  WHERE f.leased_by = $1 OR f.leased_until < clock_timestamp() RETURNING 1`

const storeSql = `UPDATE database_figures SET sampled_at = clock_timestamp(), figures = $2 WHERE leased_by = $1`

const readSql =
  'SELECT extract(epoch FROM sampled_at), figures FROM database_figures WHERE sampled_at IS NOT NULL'

const releaseSql = `UPDATE database_figures SET leased_until = '-infinity' WHERE leased_by = $1`

/**
 * Figures that every process exports and one of them computes: the one that holds the lease. More processes do not
 * cost the database more counting.
 */
export class DatabaseFigures {
  readonly figures: readonly DatabaseFigure[]
  readonly #database: FigureDatabase
  readonly #processName: string
  readonly #log: Logger
  readonly #timer: NodeJS.Timeout
  #sample: FigureSample | undefined
  #passing: Promise<void> | undefined
  #fails = false

  constructor(
    figures: readonly DatabaseFigure[],
    { database, processName, log }: { database: FigureDatabase; processName: string; log: Logger },
  ) {
    this.figures = figures
    this.#database = database
    this.#processName = processName
    this.#log = log
    this.#timer = every(() => void this.pass(), sampleEveryMs)
  }

  /** When the sample was taken, in seconds since the epoch; undefined before the first one. */
  get sampledAt(): number | undefined {
    return this.#sample?.at
  }

  readingsOf({ name, label }: DatabaseFigure): readonly Reading[] {
    const values = this.#sample?.figures[name] ?? []
    return values.map(([text, value]) => ({ ...(label && { labels: { [label]: text } }), value }))
  }

  /** Takes a sample, if this process holds the lease, and learns the latest one. */
  async pass(): Promise<void> {
    this.#passing ??= this.#pass().finally(() => {
      this.#passing = undefined
    })
    await this.#passing
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#passing
    await this.#database.run({ text: releaseSql, values: [this.#processName] }).catch(() => {})
  }

  async #pass(): Promise<void> {
    try {
      const [taken] = await this.#database.run({ text: takeSql, values: [this.#processName, leaseS] })
      if (taken) {
        const figures = JSON.stringify(await this.#compute())
        await this.#database.run({ text: storeSql, values: [this.#processName, figures] })
      }
      const [row] = await this.#database.run({ text: readSql, values: [] })
      if (row) this.#sample = { at: Number(row[0]), figures: JSON.parse(row[1] as string) }
      this.#fails = false
    } catch (error) {
      if (!this.#fails) this.#log.warn({ err: error }, 'cannot sample the figures of the database')
      this.#fails = true
    }
  }

  #compute(): Promise<FigureSample['figures']> {
    return this.#database.transaction(async (transaction) => {
      await transaction.run({
        text: `SET LOCAL statement_timeout = '${statementMax}'`,
        values: [],
        once: true,
      })
      const found: Record<string, (readonly [string, number])[]> = {}
      for (const { name, label, sql } of this.figures) {
        const rows = await transaction.run({ text: sql, values: [] })
        found[name] = rows.map((row) => (label ? [row[0] ?? '', Number(row[1])] : ['', Number(row[0] ?? 0)]))
      }
      return found
    })
  }
}

/** What waits is counted up to this number. */
const countedMax = 100_000

const upTo = (rows: string) => `SELECT count(*) FROM (SELECT 1 FROM ${rows} LIMIT ${countedMax}) counted`

/** Of all stores: the feed, the totals of lists, the queues, the schema. */
export const kernelFigures: readonly DatabaseFigure[] = [
  {
    name: 'sutler_feed_unsequenced',
    about: `Changes that wait for their position in the feed, up to ${countedMax}.`,
    sql: upTo('fresh_changes'),
  },
  {
    name: 'sutler_feed_lag_seconds',
    about: 'How long the oldest change without a position has waited for it.',
    sql: `SELECT coalesce(greatest(0, extract(epoch FROM now() - min(at))), 0)
      FROM (SELECT at FROM fresh_changes LIMIT ${countedMax}) waiting`,
  },
  {
    name: 'sutler_list_deltas',
    about: `Changes of lists that are not merged into their totals yet, up to ${countedMax}.`,
    sql: upTo('list_deltas'),
  },
  {
    name: 'sutler_jobs_waiting',
    about: `Short jobs that may run now and do not, up to ${countedMax} of all.`,
    label: 'job',
    sql: `SELECT t.identifier, count(*) FROM (
        SELECT task_id FROM graphile_worker._private_jobs
        WHERE locked_at IS NULL AND run_at <= now() AND attempts < max_attempts LIMIT ${countedMax}
      ) j JOIN graphile_worker._private_tasks t ON t.id = j.task_id GROUP BY 1`,
  },
  {
    name: 'sutler_long_jobs_waiting',
    about: `Long jobs that wait for a worker, for jobs before them or for something else, up to ${countedMax}.`,
    sql: upTo('long_jobs WHERE locked_by IS NULL'),
  },
  {
    name: 'sutler_long_job_age_seconds',
    about: 'How long the long job has run that runs for longest.',
    sql: 'SELECT coalesce(extract(epoch FROM now() - min(locked_at)), 0) FROM long_jobs WHERE locked_by IS NOT NULL',
  },
  {
    name: 'sutler_migration',
    about: 'The number of the latest migration.',
    sql: `SELECT max(substring(name FROM '^\\d+')::integer) FROM migrations`,
  },
]

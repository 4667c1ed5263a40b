import pg from 'pg'
import { Problem, StartupError } from '../errors.ts'

/** A statement with its values apart: a value is never part of the text. */
export interface Sql {
  readonly text: string
  readonly values: readonly unknown[]
  /** The text differs with each call (filters, literals): plan it for its values, keep no prepared statement. */
  readonly once?: boolean
}

/** Columns in the order of the statement, as PostgreSQL's text. */
export type Tuple = readonly (string | null)[]

/** Something that runs statements: the pool, the pipelined connection or one transaction. */
export interface Connection {
  run(sql: Sql): Promise<readonly Tuple[]>
}

const asText = { getTypeParser: () => (value: string) => value } as unknown as pg.CustomTypesConfig

// A prepared statement lives on every connection, so their number is bounded; later texts run unprepared.
const preparedMax = 500
const prepared = new Map<string, string>()

function nameOf(text: string): string | undefined {
  const known = prepared.get(text)
  if (known || prepared.size >= preparedMax) return known
  const name = `s${prepared.size}`
  prepared.set(text, name)
  return name
}

async function query(
  client: pg.ClientBase | pg.Pool,
  { text, values, once }: Sql,
): Promise<readonly Tuple[]> {
  const name = once ? undefined : nameOf(text)
  const config = { text, values: values as unknown[], rowMode: 'array' as const, types: asText }
  const result = await client.query(name ? { ...config, name } : config).catch(refuseOutage)
  return result.rows as Tuple[]
}

function refuseOutage(error: unknown): never {
  throw isOutage(error)
    ? new Problem('unavailable', 'The database cannot be reached.', { cause: error })
    : error
}

// SQLSTATE classes 08 (connection), 53 (resources) and 57P (shutdown); a socket error has no SQLSTATE at all.
const isOutage = (error: unknown) =>
  error instanceof Error &&
  (error instanceof pg.DatabaseError
    ? /^(08|53|57P)/.test(error.code ?? '')
    : /connect|terminat|socket|timeout|queryable|ECONN|EPIPE/i.test(error.message))

/** The SQLSTATE of a failed statement, or undefined. */
export const sqlState = (error: unknown): string | undefined =>
  error instanceof pg.DatabaseError ? error.code : undefined

/** The constraint that a failed statement broke, or undefined. */
export const brokenConstraint = (error: unknown): string | undefined =>
  error instanceof pg.DatabaseError ? error.constraint : undefined

/** A transaction that lost a race (deadlock or serialization failure) and may simply be run again. */
const isRetryable = (error: unknown) => ['40001', '40P01'].includes(sqlState(error) ?? '')

const transactionAttemptsMax = 4

export class Database implements Connection {
  readonly pool: pg.Pool
  readonly #config: pg.ClientConfig
  #quick: pg.Client | undefined

  constructor(url: string, connections: number) {
    this.#config = { connectionString: url, application_name: 'sutler', connectionTimeoutMillis: 10_000 }
    this.pool = new pg.Pool({ ...this.#config, max: connections, idleTimeoutMillis: 60_000 })
    // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
    this.pool.on('error', () => {})
    this.pool.on('connect', (client) => client.on('error', () => {}))
  }

  /** One clear line when the database is not there, or is not ours to use. */
  async mustBeReachable(): Promise<void> {
    try {
      await this.pool.query('SELECT 1')
    } catch (error) {
      const { message, code } = error as NodeJS.ErrnoException
      throw new StartupError(`cannot use the database (DATABASE_URL): ${message || code}`, { cause: error })
    }
  }

  /** One statement, which is a transaction of its own: one that lost a race is run again. */
  async run(sql: Sql): Promise<readonly Tuple[]> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await query(this.pool, sql)
      } catch (error) {
        if (!isRetryable(error) || attempt === transactionAttemptsMax) throw error
      }
    }
  }

  /**
   * For statements that are sure to be short: they share one pipelined connection, a queue in which a slow
   * statement would hold up all behind it.
   */
  async quick(sql: Sql): Promise<readonly Tuple[]> {
    this.#quick ??= this.#connectQuick()
    return query(this.#quick, sql)
  }

  #connectQuick(): pg.Client {
    const client = new pg.Client({ ...this.#config, pipeline: true } as pg.ClientConfig)
    const forget = () => {
      if (this.#quick === client) this.#quick = undefined
    }
    client.on('error', forget)
    client.on('end', forget)
    client.connect().catch(forget)
    return client
  }

  /** Runs `work` in one transaction, again when it lost a race. Nothing in `work` may leave the machine. */
  async transaction<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const client = await this.pool.connect().catch((error: unknown) => {
        throw new Problem('unavailable', 'The database cannot be reached.', { cause: error })
      })
      let broken: Error | undefined
      try {
        await client.query('BEGIN').catch(refuseOutage)
        const result = await work({ run: (sql) => query(client, sql) })
        await client.query('COMMIT').catch(refuseOutage)
        return result
      } catch (error) {
        await client.query('ROLLBACK').catch((failure: Error) => {
          broken = failure
        })
        if (!isRetryable(error)) throw error
        if (attempt === transactionAttemptsMax) {
          throw new Problem('conflict', 'Write conflict detected; send the request again.', { cause: error })
        }
      } finally {
        client.release(broken)
      }
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#quick?.end(), this.pool.end()])
  }
}

import pg from 'pg'
import type { Logger } from 'pino'
import type { Database } from './database.ts'

/** Whether a statement failed because PostgreSQL's disk is full (SQLSTATE 53100). Reads continue. */
export const isOutOfSpace = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code === '53100'

const checkAgainAfterMs = 2_000
/** Sorts more than fits in memory, so PostgreSQL writes a temporary file, which it removes after the statement. */
const fillingSql = `SELECT count(*) FROM (SELECT md5(i::text) FROM generate_series(1, 20000) i ORDER BY 1 OFFSET 1) sorted`

/** Whether statements have found the database's disk full. Logs the start and the end, once each. */
export class DiskSpace {
  readonly #database: Database
  readonly #log: Logger
  #checking: NodeJS.Timeout | undefined

  constructor(database: Database, log: Logger) {
    this.#database = database
    this.#log = log
  }

  get isOut(): boolean {
    return this.#checking !== undefined
  }

  /** A statement has found the disk full. */
  note(): void {
    if (this.isOut) return
    this.#log.error('the database has no disk space left: writes fail until there is some')
    this.#checking = setInterval(() => void this.#check(), checkAgainAfterMs).unref()
  }

  async #check(): Promise<void> {
    try {
      await this.#database.transaction(async (transaction) => {
        await transaction.run({ text: `SET LOCAL work_mem = '64kB'`, values: [], once: true })
        await transaction.run({ text: fillingSql, values: [], once: true })
      })
    } catch {
      return
    }
    if (!this.isOut) return
    this.stop()
    this.#log.info('the database has disk space again')
  }

  stop(): void {
    clearInterval(this.#checking)
    this.#checking = undefined
  }
}

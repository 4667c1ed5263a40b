import type { Connection, Database } from '../../server/kernel/storage/database.ts'
import type { Progress } from '../progress.ts'

/** What a check has compared, and what does not fit. */
export interface CheckResult {
  readonly compared: number
  /** At most `shownMax`, in words. */
  readonly differences: readonly string[]
  /** How many there are, as far as they were looked for. */
  readonly count: number
}

const shownMax = 50

/** Runs a check in one moment of the database. It can change nothing. */
export function inOneMoment<T>(database: Database, work: (connection: Connection) => Promise<T>): Promise<T> {
  return database.transaction(async (connection) => {
    const text = 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY'
    await connection.run({ text, values: [], once: true })
    return work(connection)
  })
}

/** Collects what a check finds, part by part. */
export class Findings {
  readonly #progress: Progress
  readonly #differences: string[] = []
  #compared = 0
  #count = 0

  constructor(progress: Progress) {
    this.#progress = progress
  }

  /** A part of the check: how much it compared, and what differs. */
  add(what: string, compared: number, differences: readonly string[], share: number): void {
    this.#compared += compared
    this.#count += differences.length
    this.#differences.push(...differences.slice(0, shownMax - this.#differences.length))
    this.#progress.add(compared, 0, what, share)
  }

  get result(): CheckResult {
    return { compared: this.#compared, differences: this.#differences, count: this.#count }
  }
}

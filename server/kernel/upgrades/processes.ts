import type { Logger } from 'pino'
import { atMost } from '../at-most.ts'
import { Problem } from '../errors.ts'
import type { Connection } from '../storage/database.ts'

const beatEveryMs = 1000
/** A process whose heartbeat is older does not count any more. */
const aliveForS = 5
const keptForDays = 30
const stoppingMaxMs = 2000

/** A process of a server, as others see it. */
interface OwnProcess {
  readonly name: string
  readonly version: string
  /** The last migration that its version has. */
  readonly lastMigration: string
}

/** Writes the heartbeat, and returns how many processes live, and migrations that this version cannot work with. */
const beatSql = `WITH own AS (
    INSERT INTO processes (name, version, last_migration, seen_at) VALUES ($1, $2, $3, now())
    ON CONFLICT (name) DO UPDATE SET seen_at = now(), has_ended = false
  )
  SELECT
    (SELECT count(*) + 1 FROM processes
      WHERE name <> $1 AND NOT has_ended AND seen_at > now() - ${aliveForS} * interval '1 s'),
    (SELECT min(name) FROM migrations WHERE step = 'contract' AND name > $3)`

const forgetSql = `DELETE FROM processes WHERE seen_at < now() - ${keptForDays} * interval '1 day'`

const endSql = 'UPDATE processes SET has_ended = true WHERE name = $1'

/**
 * Shows the processes of this database that this one lives, and learns how many there are. While the database is away,
 * the last count stays.
 */
export class Processes {
  readonly #database: Connection
  readonly #log: Logger
  readonly #own: OwnProcess
  readonly #failed = Promise.withResolvers<string>()
  #count = 1
  #timer: NodeJS.Timeout | undefined
  #beating = Promise.resolve()
  #fails = false
  #isStopped = false

  constructor(database: Connection, log: Logger, own: OwnProcess) {
    this.#database = database
    this.#log = log
    this.#own = own
  }

  /** How many processes serve this database, with this one: at least 1. It may be late by `aliveForS`. */
  get count(): number {
    return this.#count
  }

  /** Settles with a reason when the schema has become too new for this process: it was away for too long. */
  get failed(): Promise<string> {
    return this.#failed.promise
  }

  async start(): Promise<void> {
    await this.#beat()
    await this.#database.run({ text: forgetSql, values: [] })
    this.#schedule()
  }

  #schedule(): void {
    if (this.#isStopped) return
    this.#timer = setTimeout(() => {
      this.#beating = this.#tryBeat()
      void this.#beating.then(() => this.#schedule())
    }, beatEveryMs).unref()
  }

  async #tryBeat(): Promise<void> {
    try {
      await this.#beat()
      this.#fails = false
    } catch (error) {
      // Other work on the database reports that it is away.
      if (!this.#fails && !(error instanceof Problem))
        this.#log.error({ err: error }, 'cannot write the heartbeat of this process')
      this.#fails = true
    }
  }

  async #beat(): Promise<void> {
    const { name, version, lastMigration } = this.#own
    const values = [name, version, lastMigration]
    const [row] = await this.#database.run({ text: beatSql, values })
    this.#count = Number(row?.[0])
    const tooNew = row?.[1]
    if (tooNew != null) this.#failed.resolve(tooNewReason(tooNew))
  }

  /** Call it before closing the database. */
  async stop(): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#timer)
    const end = async () => {
      await this.#beating
      await this.#database.run({ text: endSql, values: [this.#own.name] })
    }
    await atMost(
      stoppingMaxMs,
      end().catch(() => {}),
    )
  }
}

const tooNewReason = (migration: string): string =>
  `the database was migrated by a newer version of Sutler (${migration}): start that version`

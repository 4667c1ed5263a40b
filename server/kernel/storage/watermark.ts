import type { Logger } from 'pino'
import { atMost } from '../at-most.ts'
import type { Clock } from '../clock.ts'
import { Problem } from '../errors.ts'
import type { Connection, Tuple } from './database.ts'

/** How far the fence stays behind the clock. Only writes that take longer than this have their times raised. */
const behindMs = 2000
/** The interval while lists are read. Each round commits some bytes. */
const oftenMs = 1000
const seldomMs = 30_000
const stoppingMaxMs = 5000

/** A fence that the database has raised, and the number of a transaction that began afterwards. */
interface Fence {
  readonly time: Date
  readonly xid: bigint
}

/**
 * A time such that every write that a later snapshot sees for the first time has this time or a later one. It is
 * refreshed while somebody reads it; an old one is as true as a new one. The proof is in
 * docs/decisions/0064-watermark.md.
 */
export class Watermark {
  readonly #database: Connection
  readonly #clock: Clock
  readonly #log: Logger
  readonly #behindMs: number
  #time: Date | undefined
  #text: string | undefined
  #fence: Fence | undefined
  /** When the database started. After a restart or a failover the numbers of transactions mean nothing. */
  #epoch: string | undefined
  #isRead = false
  #passedAtMs = 0
  #timer: NodeJS.Timeout | undefined
  #passing: Promise<void> | undefined
  #fails = false
  #stopped = false

  constructor(database: Connection, clock: Clock, log: Logger, behind = behindMs) {
    this.#behindMs = behind
    this.#database = database
    this.#clock = clock
    this.#log = log
  }

  /** Undefined while it is not known. Take it before the statement whose snapshot it is for. */
  get time(): Date | undefined {
    this.#isRead = true
    return this.#time
  }

  /** The same in ISO 8601, as each list says it. */
  get text(): string | undefined {
    this.#isRead = true
    return this.#text
  }

  async start(): Promise<void> {
    await this.pass()
    this.#schedule()
  }

  /** Call it before closing the database. */
  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#timer)
    if (this.#passing) await atMost(stoppingMaxMs, this.#passing)
  }

  #schedule(): void {
    if (this.#stopped) return
    this.#timer = setTimeout(() => {
      const isDue = this.#isRead || performance.now() - this.#passedAtMs >= seldomMs
      void (isDue ? this.pass() : Promise.resolve()).then(() => this.#schedule())
    }, oftenMs)
  }

  /** Learns the latest watermark. */
  async pass(): Promise<void> {
    this.#passing ??= this.#pass().finally(() => {
      this.#passing = undefined
    })
    await this.#passing
  }

  async #pass(): Promise<void> {
    this.#isRead = false
    this.#passedAtMs = performance.now()
    try {
      if (!(await this.#reach())) return
      const [fence] = await this.#ask(
        "extract(epoch FROM raise_time_fence($1, $2::integer * interval '1 ms'))",
        [this.#clock.now(), this.#behindMs],
      )
      // A statement of its own: its transaction must begin when the fence has been raised.
      const [xid] = await this.#ask('pg_current_xact_id()')
      this.#fence = { time: new Date(Number(fence) * 1000), xid: BigInt(xid as string) }
      await this.#reach()
      this.#fails = false
    } catch (error) {
      // Other work on the database reports that it is away.
      if (!this.#fails && !(error instanceof Problem)) {
        this.#log.error({ err: error }, 'cannot learn the watermark of lists')
      }
      this.#fails = true
      this.#forget()
    }
  }

  /** Advances to the fence if all transactions that may have read the one before have ended. False if some have not. */
  async #reach(): Promise<boolean> {
    if (!this.#fence) return true
    const [oldest] = await this.#ask('pg_snapshot_xmin(pg_current_snapshot())')
    if (BigInt(oldest as string) <= this.#fence.xid) return false
    this.#time = this.#fence.time
    this.#text = this.#time.toISOString()
    this.#fence = undefined
    return true
  }

  #forget(): void {
    this.#time = undefined
    this.#text = undefined
    this.#fence = undefined
    this.#epoch = undefined
  }

  /** Asks the database that answered before; throws if it is another one, or has been started again. */
  async #ask(expression: string, values: readonly unknown[] = []): Promise<Tuple> {
    const text = `SELECT ${expression}, pg_postmaster_start_time()`
    const [tuple = []] = await this.#database.run({ text, values })
    const epoch = tuple[1] as string
    this.#epoch ??= epoch
    if (epoch !== this.#epoch) throw new Problem('unavailable', 'The database has been started again.')
    return tuple
  }
}

import type { Logger } from 'pino'
import { atMost } from '../kernel/at-most.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Resource, Row } from '../kernel/declare/resource.ts'
import { Problem } from '../kernel/errors.ts'
import type { Connection } from '../kernel/storage/database.ts'
import type { Work } from '../kernel/work/context.ts'
import { Recent } from './recent.ts'
import type { Register } from './register.ts'

/** The same person reading the same object again within this time is one read. */
const onceWithinMs = 60 * 60 * 1000
const rememberedMax = 100_000

const waitsMaxMs = 1000
const perStatement = 1000
/** So many wait when they cannot be written: as many as are remembered, so that what is dropped is new again. */
const waitingMax = rememberedMax
const stoppingMaxMs = 5000

/** A row to be, in the words of its table. */
interface Read {
  readonly store_id: string
  readonly at: string
  readonly source: string
  readonly id: string
  readonly actor: string
  readonly scope: string | undefined
  readonly parent_scope: string | undefined
}

/**
 * Records who was shown which objects that hold personal data. Nobody waits for it: reads are collected, and written
 * many at a time, at most a second later. A crash loses what was not written yet; a stop does not.
 */
export class ReadRecorder {
  readonly #register: Register
  readonly #database: Connection
  readonly #clock: Clock
  readonly #log: Logger
  readonly #recent = new Recent(onceWithinMs, rememberedMax)
  #waiting: Read[] = []
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> | undefined
  #fails = false
  #stopped = false
  #dropped = 0

  constructor(register: Register, database: Connection, clock: Clock, log: Logger) {
    this.#register = register
    this.#database = database
    this.#clock = clock
    this.#log = log
  }

  /** The caller was shown this object. Of a resource that holds no personal data nothing is recorded. */
  record({ store, who: { actor } }: Work, resource: Resource, row: Row): void {
    if (!resource.personal) return
    const source = resource.table
    const now = this.#clock.now()
    if (!this.#recent.meet(`${actor} ${source} ${row.id}`, now.getTime())) return
    const [scope, parent_scope] = this.#register.scopeOf(resource, row)
    const at = now.toISOString()
    this.#waiting.push({ store_id: store.id, at, source, id: row.id, actor, scope, parent_scope })
    if (this.#waiting.length > waitingMax) this.#drop(this.#waiting.length - waitingMax)
    this.#schedule()
  }

  /** Writes what still waits, if that can be done soon. To be called before the database is closed. */
  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#timer)
    await atMost(stoppingMaxMs, this.#writeAll())
    this.#drop(this.#waiting.length)
    this.#tellDropped()
  }

  async #writeAll(): Promise<void> {
    await this.#writing
    do await this.#write()
    while (this.#waiting.length && !this.#fails)
  }

  #schedule(): void {
    if (this.#stopped || this.#writing || !this.#waiting.length) return
    if (this.#waiting.length >= perStatement && !this.#fails) {
      clearTimeout(this.#timer)
      this.#timer = undefined
      this.#begin()
    } else this.#timer ??= setTimeout(() => this.#begin(), waitsMaxMs)
  }

  #begin(): void {
    this.#timer = undefined
    this.#writing = this.#write().finally(() => {
      this.#writing = undefined
      this.#schedule()
    })
  }

  /** Writes the oldest; when that fails they go on waiting. */
  async #write(): Promise<void> {
    const reads = this.#waiting.splice(0, perStatement)
    if (!reads.length) return
    try {
      await this.#database.run({
        text: 'SELECT record_personal_data_reads($1)',
        values: [JSON.stringify(reads)],
      })
      this.#fails = false
      // Once, when it has caught up.
      if (this.#waiting.length < perStatement) this.#tellDropped()
    } catch (error) {
      this.#waiting = [...reads, ...this.#waiting]
      // That the database is away is said by whoever else needs it.
      if (!this.#fails && !(error instanceof Problem)) {
        this.#log.error({ err: error }, 'cannot record reads of personal data')
      }
      this.#fails = true
    }
  }

  /** Gives up the oldest. */
  #drop(count: number): void {
    this.#waiting.splice(0, count)
    this.#dropped += count
  }

  #tellDropped(): void {
    if (!this.#dropped) return
    this.#log.warn(
      `${this.#dropped} reads of personal data were not recorded, because the database did not accept them`,
    )
    this.#dropped = 0
  }
}

import type { Logger } from 'pino'
import { atMost } from '../kernel/at-most.ts'
import type { Clock } from '../kernel/clock.ts'
import { Problem } from '../kernel/errors.ts'
import type { Model, Row } from '../kernel/shape/model.ts'
import type { Connection } from '../kernel/storage/database.ts'
import type { Work } from '../kernel/work/context.ts'
import { RecentKeys } from './recent-keys.ts'
import type { Register } from './register.ts'

/** Repeated reads of an object by the same caller within this time are one read. */
const repeatAfterMs = 60 * 60 * 1000
const recentMax = 100_000

const delayMaxMs = 1000
const batchMax = 1000
/**
 * The limit of the queue while the database is away. It equals `recentMax`, so that dropped reads count as new again.
 */
const queueMax = recentMax
const stopMaxMs = 5000

/** A row to insert, by the names of its columns. */
interface ReadRow {
  readonly store_id: string
  readonly at: string
  readonly source: string
  readonly id: string
  readonly actor: string
  readonly scope: string | undefined
  readonly parent_scope: string | undefined
}

/**
 * Records which caller was shown which objects with personal data. No request waits for it: reads are queued and
 * written in batches, at most a second later. A crash loses the queue, but a stop writes it.
 */
export class ReadRecorder {
  readonly #register: Register
  readonly #database: Connection
  readonly #clock: Clock
  readonly #log: Logger
  readonly #recent = new RecentKeys(repeatAfterMs, recentMax)
  #queue: ReadRow[] = []
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> | undefined
  #isFailing = false
  #isStopped = false
  #dropped = 0

  constructor(register: Register, database: Connection, clock: Clock, log: Logger) {
    this.#register = register
    this.#database = database
    this.#clock = clock
    this.#log = log
  }

  /** Records that the caller was shown this object, if its resource holds personal data. */
  record({ store, who: { actor } }: Work, model: Model, row: Row): void {
    if (!model.personal) return
    const source = model.table
    const now = this.#clock.now()
    if (!this.#recent.add(`${actor} ${source} ${row.id}`, now.getTime())) return
    const [scope, parent_scope] = this.#register.scopeOf(model, row)
    const at = now.toISOString()
    this.#queue.push({ store_id: store.id, at, source, id: row.id, actor, scope, parent_scope })
    if (this.#queue.length > queueMax) this.#drop(this.#queue.length - queueMax)
    this.#schedule()
  }

  /** Writes the queue, if the database answers in time. Call it before the database is closed. */
  async stop(): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#timer)
    await atMost(stopMaxMs, this.#writeAll())
    this.#drop(this.#queue.length)
    this.#logDropped()
  }

  async #writeAll(): Promise<void> {
    await this.#writing
    do await this.#write()
    while (this.#queue.length && !this.#isFailing)
  }

  #schedule(): void {
    if (this.#isStopped || this.#writing || !this.#queue.length) return
    if (this.#queue.length >= batchMax && !this.#isFailing) {
      clearTimeout(this.#timer)
      this.#timer = undefined
      this.#begin()
    } else this.#timer ??= setTimeout(() => this.#begin(), delayMaxMs)
  }

  #begin(): void {
    this.#timer = undefined
    this.#writing = this.#write().finally(() => {
      this.#writing = undefined
      this.#schedule()
    })
  }

  /** Writes the oldest reads, store by store. Those that it cannot write return to the queue. */
  async #write(): Promise<void> {
    const reads = this.#queue.splice(0, batchMax)
    if (!reads.length) return
    const byStore = Map.groupBy(reads, ({ store_id }) => store_id)
    try {
      for (const [storeId, own] of byStore) {
        const text = 'SELECT record_personal_data_reads($1, $2)'
        await this.#database.run({ text, values: [storeId, JSON.stringify(own)] })
        byStore.delete(storeId)
      }
      this.#isFailing = false
      // Once, when the queue is short again.
      if (this.#queue.length < batchMax) this.#logDropped()
    } catch (error) {
      this.#queue = [...[...byStore.values()].flat(), ...this.#queue]
      // Others log that the database is away.
      if (!this.#isFailing && !(error instanceof Problem)) {
        this.#log.error({ err: error }, 'cannot record reads of personal data')
      }
      this.#isFailing = true
    }
  }

  /** Drops the oldest reads. */
  #drop(count: number): void {
    this.#queue.splice(0, count)
    this.#dropped += count
  }

  #logDropped(): void {
    if (!this.#dropped) return
    this.#log.warn(
      `${this.#dropped} reads of personal data were not recorded, because the database did not accept them`,
    )
    this.#dropped = 0
  }
}

import type { Logger } from 'pino'
import { atMost } from '../at-most.ts'
import type { Clock } from '../clock.ts'
import { Problem } from '../errors.ts'
import type { Connection } from './database.ts'

/** How far the fence stays behind the clock. Only writes that take longer than this have their times raised. */
const behindMs = 2000
/** The interval while lists are read. Each round commits some bytes. */
const oftenMs = 1000
const seldomMs = 30_000
/** With many nodes a round takes long; this is the largest share of the time it may take. */
const passShare = 1 / 20
const stoppingMaxMs = 5000

/** The answers of the nodes of the database, by their ids. One PostgreSQL is one node. */
type Answers = ReadonlyMap<string, string>

/** A fence that every node has raised, and of each the number of a transaction that began there afterwards. */
interface Fence {
  readonly time: Date
  readonly xids: Answers
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
  /** When each node started. After a restart or a failover the numbers of its transactions mean nothing. */
  readonly #epochs = new Map<string, string>()
  #isRead = false
  #passedAtMs = 0
  #restMs = oftenMs
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
    }, this.#restMs)
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
      const [time, behind] = [this.#clock.now().toISOString(), `${this.#behindMs} ms`]
      const raised = await this.#ask(`extract(epoch FROM raise_time_fence('${time}', '${behind}'))`)
      // A statement of its own: its transaction must begin when the fence has been raised.
      const xids = await this.#ask('pg_current_xact_id()')
      this.#fence = { time: new Date(Math.min(...[...raised.values()].map(Number)) * 1000), xids }
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
    this.#restMs = Math.max(oftenMs, (performance.now() - this.#passedAtMs) / passShare)
  }

  /** Advances to the fence if all transactions that may have read the one before have ended. False if some have not. */
  async #reach(): Promise<boolean> {
    if (!this.#fence) return true
    const { time, xids } = this.#fence
    const oldest = await this.#ask('pg_snapshot_xmin(pg_current_snapshot())')
    // A node that is new has not raised its fence.
    if ([...oldest.keys()].some((node) => !xids.has(node))) {
      this.#fence = undefined
      return true
    }
    if ([...oldest].some(([node, xmin]) => BigInt(xmin) <= BigInt(xids.get(node) as string))) return false
    this.#time = time
    this.#text = this.#time.toISOString()
    this.#fence = undefined
    return true
  }

  #forget(): void {
    this.#time = undefined
    this.#text = undefined
    this.#fence = undefined
    this.#epochs.clear()
  }

  /** Asks the nodes that answered before; throws if one of them is another one, has been started again, or is away. */
  async #ask(expression: string): Promise<Answers> {
    const question = `concat_ws('|', ${expression}, pg_postmaster_start_time())`
    const rows = await this.#database.run({
      text: 'SELECT node, answer FROM ask_nodes($1)',
      values: [question],
    })
    return new Map(
      (rows as readonly (readonly string[])[]).map(([node = '', answer]) => {
        if (answer === null)
          throw new Problem('unavailable', `The node ${node} of the database is not reachable.`)
        const [value = '', epoch = ''] = (answer as string).split('|')
        if ((this.#epochs.get(node) ?? epoch) !== epoch)
          throw new Problem('unavailable', 'The database has been started again.')
        this.#epochs.set(node, epoch)
        return [node, value]
      }),
    )
  }
}

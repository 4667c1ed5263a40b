/** What a request may wait for, beside its statements. */
type WaitReason = 'connection' | 'queue' | 'outside'

/** What a request takes from others while it is at work. */
interface TakenPlace {
  pause(): void
  resume(): void
  leave(): void
}

/** A statement, with what is needed to show its plan. */
interface TimedStatement {
  readonly text: string
  readonly values: readonly unknown[]
  readonly ms: number
}

/** Where the time of one request goes. */
export class Timings {
  readonly #beganMs = performance.now()
  #statements = 0
  #rows = 0
  #databaseMs = 0
  readonly #waitMs = { connection: 0, queue: 0, outside: 0 }
  #idleMs = 0
  #slowest: TimedStatement | undefined
  #answeredMs: number | undefined
  /** The response has ended. What is done later is not the request's. */
  isOver = false
  /** Undefined where the request needs none. */
  place: TakenPlace | undefined
  /** Whether its place is among slow reads, and is kept while it waits for one. */
  isSlowRead = false

  statement(text: string, values: readonly unknown[], rows: number, ms: number): void {
    this.#statements += 1
    this.#rows += rows
    this.#databaseMs += ms
    if (ms > (this.#slowest?.ms ?? 0)) this.#slowest = { text, values, ms }
  }

  wait(reason: WaitReason, ms: number): void {
    this.#waitMs[reason] += ms
  }

  /** The client has asked to wait. That is not slow. */
  idle(ms: number): void {
    if (this.#answeredMs === undefined) this.#idleMs += ms
  }

  /** The response is known, and begins to be sent. */
  answered(): void {
    this.#answeredMs ??= performance.now() - this.#beganMs
  }

  get slowest(): TimedStatement | undefined {
    return this.#slowest
  }

  /**
   * The time that the server took. How fast the client takes the response does not count, but what is read from the
   * database meanwhile does.
   */
  get totalMs(): number {
    const { connection, queue, outside } = this.#waitMs
    const untilAnswer = (this.#answeredMs ?? performance.now() - this.#beganMs) - this.#idleMs
    return Math.max(untilAnswer, this.#databaseMs + connection + queue + outside)
  }

  /** For a line of the log. */
  get details() {
    const { connection, queue, outside } = this.#waitMs
    return {
      ms: rounded(this.totalMs),
      ...{ statements: this.#statements, rows: this.#rows, database_ms: rounded(this.#databaseMs) },
      waits_ms: { connection: rounded(connection), queue: rounded(queue), outside: rounded(outside) },
    }
  }

  /** As the header Server-Timing. */
  get header(): string {
    const { connection, queue, outside } = this.#waitMs
    return [
      `total;dur=${rounded(this.totalMs)}`,
      `db;dur=${rounded(this.#databaseMs)};desc="${this.#statements} statements, ${this.#rows} rows"`,
      `connection;dur=${rounded(connection)}`,
      `queue;dur=${rounded(queue)}`,
      `outside;dur=${rounded(outside)}`,
    ].join(', ')
  }
}

const rounded = (ms: number): number => Math.round(ms * 10) / 10

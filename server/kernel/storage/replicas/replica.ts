import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { atMost } from '../../at-most.ts'
import { counter } from '../../metrics/metrics.ts'
import type { Database, Guard } from '../database.ts'
import { SharedQuestion } from './asking.ts'
import {
  type Position,
  type Primary,
  replayedIn,
  replayedSql,
  type Standing,
  standingOf,
  whyNot,
} from './position.ts'

/** How long a read waits for a replica to replay what the primary had written. */
const behindMaxMs = 20
const lookAgainMs = 1
const answerMaxMs = 2000
const isBehind = `it is more than ${behindMaxMs} ms behind`

/** How long it stays out at least. It doubles where a replica does not serve for long in between. */
const pauseMs = { min: 500, max: 30_000, forgottenAfter: 60_000 }

const reads = counter('sutler_replica_reads_total', 'Reads that a replica has served.', ['replica'])

/** A replica that cannot serve a read. */
export class LeftOut extends Error {}

/** A standby of the primary. It serves while it replays soon what the primary writes. */
export class Replica {
  readonly name: string
  readonly database: Database
  /** How far behind the primary it was when it was examined. */
  lagBytes: bigint | undefined
  /** Whether exports may last on it: the primary keeps the rows that they read. */
  keepsRows = false
  readonly #log: Logger
  readonly #look: SharedQuestion<bigint>
  #replayed = 0n
  #timeline = 0
  #fault: string | undefined = 'it has not been examined yet'
  #out = AbortSignal.abort()
  #leave = () => {}
  #servesSinceMs = 0
  #pauseMs = pauseMs.min
  #backAtMs = 0

  constructor(name: string, database: Database, log: Logger) {
    this.name = name
    this.database = database
    this.#log = log
    this.#look = new SharedQuestion(async () =>
      mustReplay(replayedIn((await database.quick(replayedSql))[0])),
    )
  }

  /** Why it is left out; undefined while it serves. */
  get fault(): string | undefined {
    return this.#fault
  }

  /** Aborts when it is left out. */
  get out(): AbortSignal {
    return this.#out
  }

  /** Goes before each read: it sees all that the primary had acknowledged at this position. */
  guard({ bytes }: Position): Guard {
    return {
      sql: replayedSql,
      check: (row) => {
        const replayed = mustReplay(replayedIn(row))
        // It has started again, further back.
        if (replayed < bytes) throw new LeftOut('it has fallen behind')
        this.#note(replayed)
      },
    }
  }

  countRead(): void {
    reads.inc({ replica: this.name })
  }

  /** Waits until it has replayed the log up to a position, for a moment. If it does not, it is left out. */
  async reaches({ bytes, timeline }: Position): Promise<boolean> {
    try {
      // There is a new primary. The next examination finds out whether it follows that one.
      if (timeline !== this.#timeline) throw new LeftOut('it follows another primary')
      if (this.#replayed >= bytes || (await orLeave(this.out, this.#isNear(bytes)))) return true
      this.leaveOut(isBehind)
    } catch (error) {
      this.leaveOut(reasonOf(error))
    }
    return false
  }

  async #isNear(bytes: bigint): Promise<boolean> {
    for (
      const beganMs = performance.now();
      performance.now() - beganMs <= behindMaxMs;
      await sleep(lookAgainMs)
    ) {
      this.#note(await this.#look.ask())
      if (this.#replayed >= bytes) return true
    }
    return false
  }

  #note(replayed: bigint): void {
    if (replayed > this.#replayed) this.#replayed = replayed
  }

  /** Its reads go elsewhere from now on, also those under way. */
  leaveOut(fault: string): void {
    const serves = this.#fault === undefined
    this.#replayed = 0n
    // The reads that are aborted say nothing new.
    if (serves || !this.#fault) this.#fault = fault
    if (!serves) return
    this.#log.warn(`the replica ${this.name} is left out: ${fault}`)
    const nowMs = performance.now()
    const wasShort = nowMs - this.#servesSinceMs < pauseMs.forgottenAfter
    this.#pauseMs = wasShort ? Math.min(2 * this.#pauseMs, pauseMs.max) : pauseMs.min
    this.#backAtMs = nowMs + this.#pauseMs
    this.#leave()
  }

  /** Finds out whether it can serve: `primary` is where the primary is now. */
  async examine(primary: Primary): Promise<void> {
    try {
      const standing = await this.#standing()
      const fault = whyNot(primary, standing)
      if (fault !== undefined) throw new LeftOut(fault)
      const replayed = mustReplay(standing.replayed)
      this.keepsRows = standing.hasFeedback
      this.#timeline = standing.timeline
      this.lagBytes = primary.bytes > replayed ? primary.bytes - replayed : 0n
      if (this.#fault === undefined || performance.now() < this.#backAtMs) return
      if (!(await this.#isNear(primary.bytes))) throw new LeftOut(isBehind)
      this.#comeBack()
    } catch (error) {
      const fault = reasonOf(error)
      if (this.#fault === undefined) this.leaveOut(fault)
      else this.#fault = fault
    }
  }

  #comeBack(): void {
    const out = new AbortController()
    this.#fault = undefined
    this.#out = out.signal
    this.#leave = () => out.abort()
    this.#servesSinceMs = performance.now()
    this.#log.info(`the replica ${this.name} serves reads`)
  }

  async #standing(): Promise<Standing> {
    let standing: Standing | undefined
    const asked = standingOf(this.database).then((answer) => {
      standing = answer
    })
    if (!(await atMost(answerMaxMs, asked)) || !standing)
      throw new LeftOut(`it has not answered in ${answerMaxMs} ms`)
    return standing
  }
}

function mustReplay(replayed: bigint | undefined): bigint {
  if (replayed === undefined) throw new LeftOut('it is no standby')
  return replayed
}

/** The reason behind a refusal of the kernel. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as Error
  return cause instanceof Error ? cause.message : message
}

/** The outcome, unless the signal aborts before. */
export async function orLeave<T>(signal: AbortSignal, outcome: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const leave = () => reject(new LeftOut('it has been left out meanwhile'))
  if (signal.aborted) leave()
  signal.addEventListener('abort', leave)
  // What comes too late is of no interest.
  outcome.catch(() => {})
  try {
    return await Promise.race([promise, outcome])
  } finally {
    signal.removeEventListener('abort', leave)
  }
}

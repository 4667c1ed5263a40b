/** How much of the usual time the latest request counts for: less in an overload, where even one alone is slow. */
const latestShares = { calm: 0.1, overloaded: 0.03 }

/** A request counts as at most this many times slower than usual: one that hung says nothing about the others. */
const countedSlowdownMax = 4

/** How long the requests of each operation take while no other is at work. */
class UsualTimes {
  readonly #usualMs = new Map<string, number>()
  #slowdowns = 0
  #known = 0
  #all = 0

  /** A request has taken this long, while no other was at work. */
  learn(operation: string, ms: number, state: keyof typeof latestShares): void {
    const known = this.#usualMs.get(operation) ?? ms
    this.#usualMs.set(operation, known + latestShares[state] * (ms - known))
  }

  /** A request has taken this long, whatever was at work. */
  add(operation: string, ms: number): void {
    this.#all += 1
    const usualMs = this.#usualMs.get(operation)
    if (usualMs === undefined) return
    this.#slowdowns += Math.min(countedSlowdownMax, ms / usualMs)
    this.#known += 1
  }

  /** How many were added since it was last asked for their slowdown. */
  get count(): number {
    return this.#all
  }

  /** How many times slower than usual those were; undefined where nothing usual is known of them. */
  takeSlowdown(): number | undefined {
    const slowdown = this.#known ? this.#slowdowns / this.#known : undefined
    this.#slowdowns = this.#known = this.#all = 0
    return slowdown
  }
}

/** What a limit is held to. */
interface LimitOptions {
  /** So many requests work at once while the server is not overloaded. More would only wait for each other. */
  readonly calmMax: number
  /** So few at least in an overload, however long they take: with fewer the server would wait for itself. */
  readonly overloadedMin: number
  /** If a request would wait longer than this for its place, the server is overloaded. */
  readonly waitMaxMs: number
  /**
   * It is too if the line was long for so long, all in it waited at least so long, and it does not get shorter, as it
   * does after a burst.
   */
  readonly standing: { readonly waitMs: number; readonly forMs: number }
  readonly clock: { nowMs(): number; after(ms: number, run: () => void): void }
  onOverload(isOverloaded: boolean): void
}

/** A line is long with so many times the requests that may be at work. Some hundred busy clients make a shorter one. */
const longLine = 2
/** The line gets shorter if fewer come than this share of those who get a place. */
const comingShare = 0.8
/** In an overload requests may take so many times longer than usual, and so many are looked at. */
const slowdownMax = 1.5
const judgedMin = 10
const judgeEveryMs = 100
/** So long without a refusal ends an overload. */
const calmAfterMs = 1000
/** The pace of the line is that of about so long a time, and of no fewer requests. */
const pace = { fromMs: 250, untilMs: 2000, min: 10 }

/** The place of a request at work. */
export class WorkPlace {
  readonly operation: string
  readonly #limit: PlaceOwner
  /** How many requests had begun with it, if no other was at work. */
  readonly begunBefore: number | undefined
  readonly cameAtMs: number
  pausedMs = 0
  #pausedAtMs = 0
  #pauses = 0
  /** What it has begun may end after it. */
  #hasLeft = false

  constructor(limit: PlaceOwner, operation: string, cameAtMs: number, begunBefore: number | undefined) {
    this.#limit = limit
    this.operation = operation
    this.cameAtMs = cameAtMs
    this.begunBefore = begunBefore
  }

  /**
   * The request waits for something that is no work of this server, or in a line with a limit of its own. It gives its
   * place away until it has resumed as often as it has paused.
   */
  pause(): void {
    if (this.#hasLeft) return
    this.#pauses += 1
    if (this.#pauses > 1) return
    this.#pausedAtMs = this.#limit.pause()
  }

  resume(): void {
    if (this.#hasLeft) return
    this.#pauses -= 1
    if (this.#pauses === 0) this.pausedMs += this.#limit.resume() - this.#pausedAtMs
  }

  leave(): void {
    while (this.#pauses > 0) this.resume()
    this.#hasLeft = true
    this.#limit.end(this)
  }
}

/** What a place does at the limit that it belongs to. The times are those at which it is done. */
interface PlaceOwner {
  pause(): number
  resume(): number
  end(place: WorkPlace): void
}

interface WaitingRequest {
  readonly cameAtMs: number
  readonly end: (isIn: boolean) => void
}

/**
 * How many requests work at once. While the server is not overloaded the others wait in line. If one would wait for
 * seconds, there are more requests than the server can serve: then all in the line are refused, nobody waits any more,
 * and only so many work at once as take about as long as usual.
 */
export class WorkLimit {
  readonly #options: LimitOptions
  readonly #usual = new UsualTimes()
  #atWork = 0
  /** How many have ever begun. */
  #begun = 0
  readonly #line = new Set<WaitingRequest>()
  /** Whether a timer looks how long the first in the line has waited. */
  #isLooking = false
  #pace = { sinceMs: 0, taken: 0 }
  /** When the line last was short, or someone in it got a place soon. */
  #soonAtMs = 0
  /** How many have come into the line and left it, in a part of the time. */
  #traffic = { sinceMs: 0, came: 0, taken: 0 }
  /** Undefined while the server is not overloaded. */
  #overload: { max: number; refusedAtMs: number; judgedAtMs: number; wasFull: boolean } | undefined

  readonly #owner: PlaceOwner = {
    pause: () => {
      this.#end()
      return this.#options.clock.nowMs()
    },
    resume: () => {
      this.#atWork += 1
      return this.#options.clock.nowMs()
    },
    end: (place) => this.#leave(place),
  }

  constructor(options: LimitOptions) {
    this.#options = options
  }

  get atWork(): number {
    return this.#atWork
  }

  get max(): number {
    return this.#overload ? Math.floor(this.#overload.max) : this.#options.calmMax
  }

  /** Whether a request would be refused now. It then counts as refused. */
  refuses(): boolean {
    const overload = this.#overload
    if (!overload) return false
    const nowMs = this.#options.clock.nowMs()
    if (nowMs - overload.refusedAtMs > calmAfterMs) {
      this.#overload = undefined
      this.#options.onOverload(false)
      return false
    }
    if (this.#atWork < this.max) return false
    overload.refusedAtMs = nowMs
    overload.wasFull = true
    return true
  }

  /** Waits for a place, if need be. Undefined: the request is refused. */
  enter(operation: string): WorkPlace | undefined | Promise<WorkPlace | undefined> {
    if (this.refuses()) return undefined
    const cameAtMs = this.#options.clock.nowMs()
    if (this.#line.size === 0 && this.#atWork < this.max) return this.#begin(operation, cameAtMs)
    return this.#wait(cameAtMs).then((isIn) => (isIn ? this.#placeOf(operation, cameAtMs) : undefined))
  }

  #begin(operation: string, cameAtMs: number): WorkPlace {
    this.#atWork += 1
    return this.#placeOf(operation, cameAtMs)
  }

  #placeOf(operation: string, cameAtMs: number): WorkPlace {
    this.#begun += 1
    return new WorkPlace(this.#owner, operation, cameAtMs, this.#atWork === 1 ? this.#begun : undefined)
  }

  #leave({ operation, cameAtMs, pausedMs, begunBefore }: WorkPlace): void {
    const isAlone = this.#begun === begunBefore
    if (isAlone || this.#overload) {
      const ms = this.#options.clock.nowMs() - cameAtMs - pausedMs
      if (isAlone) this.#usual.learn(operation, ms, this.#overload ? 'overloaded' : 'calm')
      if (this.#overload) this.#judge(operation, ms)
    }
    this.#end()
  }

  #end(): void {
    this.#atWork -= 1
    while (this.#line.size > 0 && this.#atWork < this.max) {
      this.#pace.taken += 1
      this.#traffic.taken += 1
      this.#atWork += 1
      const [first] = this.#line
      if (!first) return
      this.#line.delete(first)
      const nowMs = this.#options.clock.nowMs()
      if (nowMs - first.cameAtMs < this.#options.standing.waitMs || this.#line.size < longLine * this.max)
        this.#soonAtMs = nowMs
      first.end(true)
    }
  }

  #wait(cameAtMs: number): Promise<boolean> {
    const { clock, waitMaxMs, standing } = this.#options
    if (this.#line.size === 0) {
      this.#pace = { sinceMs: cameAtMs, taken: 0 }
      this.#soonAtMs = cameAtMs
    }
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const waiter = { cameAtMs, end: resolve }
    this.#line.add(waiter)
    this.#lookAfter(waiter)
    const stands = cameAtMs - this.#soonAtMs > standing.forMs && this.#line.size >= longLine * this.max
    if (this.#waitOfLastMs(cameAtMs) > waitMaxMs || (this.#isFed(cameAtMs) && stands))
      this.#beginOverload(clock.nowMs())
    return promise
  }

  /** Whether a time has just ended in which enough came to keep the line as long as it is. */
  #isFed(nowMs: number): boolean {
    this.#traffic.came += 1
    const { sinceMs, came, taken } = this.#traffic
    // Requests of a burst may all end at once, and then none for a while.
    if (nowMs - sinceMs < this.#options.standing.forMs / 2 || taken < pace.min) return false
    this.#traffic = { sinceMs: nowMs, came: 0, taken: 0 }
    return came >= comingShare * taken
  }

  /** By the pace of the line; 0 while nothing is known. */
  #waitOfLastMs(nowMs: number): number {
    const tookMs = nowMs - this.#pace.sinceMs
    const { taken } = this.#pace
    if (tookMs < pace.fromMs || taken < pace.min) return 0
    const waitMs = (this.#line.size * tookMs) / taken
    if (tookMs > pace.untilMs) this.#pace = { sinceMs: this.#pace.sinceMs + tookMs / 2, taken: taken / 2 }
    return waitMs
  }

  /** Where requests hang nothing else happens that would tell how long the first in the line has waited. */
  #lookAfter(waiter: WaitingRequest): void {
    if (this.#isLooking) return
    this.#isLooking = true
    const { clock, waitMaxMs } = this.#options
    clock.after(waiter.cameAtMs + waitMaxMs - clock.nowMs(), () => {
      this.#isLooking = false
      const [first] = this.#line
      if (first === waiter) this.#beginOverload(clock.nowMs())
      else if (first) this.#lookAfter(first)
    })
  }

  #beginOverload(nowMs: number): void {
    const { calmMax, overloadedMin } = this.#options
    const max = Math.min(calmMax, 2 * overloadedMin)
    this.#overload = { max, refusedAtMs: nowMs, judgedAtMs: nowMs, wasFull: true }
    this.#usual.takeSlowdown()
    this.#options.onOverload(true)
    const waiters = [...this.#line]
    this.#line.clear()
    for (const { end } of waiters) end(false)
  }

  /** Fewer work at once if requests take too long, and more if they do not. */
  #judge(operation: string, ms: number): void {
    const overload = this.#overload
    if (!overload) return
    this.#usual.add(operation, ms)
    const nowMs = this.#options.clock.nowMs()
    if (nowMs - overload.judgedAtMs < judgeEveryMs || this.#usual.count < judgedMin) return
    const slowdown = this.#usual.takeSlowdown()
    if (slowdown === undefined || slowdown > slowdownMax)
      overload.max = Math.max(this.#options.overloadedMin, overload.max * 0.8)
    else if (overload.wasFull) overload.max = Math.min(this.#options.calmMax, overload.max + 1)
    overload.judgedAtMs = nowMs
    overload.wasFull = false
  }
}

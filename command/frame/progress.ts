import type { Clock } from '../../server/kernel/clock.ts'
import { count, type Progress } from '../../tools/progress.ts'

/** Where progress is shown. */
interface Screen {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

const everyMs = { bar: 100, line: 1000 } as const

const barColumns = 24

/**
 * How far a long command is: on a terminal a bar that stays in its line, elsewhere a JSON line each second. Both say
 * the rate, and how much time is left.
 */
export class ShownProgress implements Progress {
  readonly #clock: Clock
  readonly #screen: Screen
  readonly #signal: AbortSignal
  readonly #beganMs: number
  #shownMs: number
  #hasBar = false
  #rows = 0
  #bytes = 0

  /** After an abort of the signal, the next part that is added ends the work. */
  constructor(clock: Clock, screen: Screen, signal: AbortSignal) {
    this.#clock = clock
    this.#screen = screen
    this.#signal = signal
    this.#beganMs = this.#shownMs = this.#nowMs()
  }

  #nowMs(): number {
    return this.#clock.now().getTime()
  }

  add(rows: number, bytes: number, what: string, share: number): void {
    this.#signal.throwIfAborted()
    this.#rows += rows
    this.#bytes += bytes
    const nowMs = this.#nowMs()
    if (nowMs - this.#shownMs < (this.#screen.isTTY ? everyMs.bar : everyMs.line)) return
    this.#shownMs = nowMs
    const leftS = secondsLeft(share, nowMs - this.#beganMs)
    if (this.#screen.isTTY) this.#showBar(what, share, leftS)
    else this.#screen.write(`${JSON.stringify(this.#numbers(what, share, leftS))}\n`)
  }

  /** Removes the bar, so that what is said next has a line of its own. */
  clear(): void {
    if (this.#hasBar) this.#screen.write('\r\u001b[K')
    this.#hasBar = false
  }

  summary(): string {
    const { seconds, rowsPerS, megabytesPerS } = this.#rates()
    const [hasRows, hasBytes] = [this.#rows > 0, this.#bytes > 0 || this.#rows === 0]
    const size = [...(hasRows ? [`${count(this.#rows)} rows`] : []), ...(hasBytes ? [this.#megabytes] : [])]
    const rate = [
      ...(hasRows ? [`${count(rowsPerS)} rows/s`] : []),
      ...(hasBytes ? [`${megabytesPerS.toFixed(1)} MB/s`] : []),
    ]
    return `${size.join(', ')} in ${seconds.toFixed(1)} s (${rate.join(', ')})`
  }

  get #megabytes(): string {
    return `${(this.#bytes / 1e6).toFixed(1)} MB`
  }

  #rates() {
    const seconds = Math.max(this.#nowMs() - this.#beganMs, 1) / 1000
    return {
      seconds,
      rowsPerS: Math.round(this.#rows / seconds),
      megabytesPerS: this.#bytes / 1e6 / seconds,
    }
  }

  #numbers(what: string, share: number, leftS: number | undefined) {
    const { seconds, rowsPerS, megabytesPerS } = this.#rates()
    return {
      progress: what,
      ...{ rows: this.#rows, bytes: this.#bytes, seconds: Math.round(seconds) },
      ...{ rows_per_second: rowsPerS, bytes_per_second: Math.round(megabytesPerS * 1e6) },
      ...(leftS !== undefined && { percent: percentOf(share), seconds_left: leftS }),
    }
  }

  #showBar(what: string, share: number, leftS: number | undefined): void {
    const done = Math.round(Math.min(share, 1) * barColumns)
    const bar =
      leftS === undefined ? '' : `[${'#'.repeat(done).padEnd(barColumns, '.')}] ${percentOf(share)} % `
    const left = leftS === undefined ? '' : `, about ${leftS} s left`
    const line = `${bar}${what}: ${this.summary()}${left}`
    this.#screen.write(`\r\u001b[K${line.slice(0, (this.#screen.columns ?? 80) - 1)}`)
    this.#hasBar = true
  }
}

const percentOf = (share: number) => Math.floor(Math.min(share, 0.99) * 100)

/** From the time that the part so far has taken. The share is an estimate. */
function secondsLeft(share: number, passedMs: number): number | undefined {
  if (share < 0.01) return undefined
  const done = Math.min(share, 0.99)
  return Math.ceil(((passedMs / done) * (1 - done)) / 1000)
}

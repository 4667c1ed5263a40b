import type { Clock } from '../../server/kernel/clock.ts'

const everyMs = 1000

/** What an operator sees of a command that takes long: how far it is, how fast, and how long it still takes. */
export class Progress {
  readonly #clock: Clock
  readonly #write: (line: string) => void
  readonly #beganMs: number
  #shownMs: number
  #rows = 0
  #bytes = 0

  constructor(clock: Clock, write: (line: string) => void) {
    this.#clock = clock
    this.#write = write
    this.#beganMs = this.#shownMs = clock.now().getTime()
  }

  /** `share` is the part of the work that is done, from 0 to 1. */
  add(rows: number, bytes: number, what: string, share: number): void {
    this.#rows += rows
    this.#bytes += bytes
    const nowMs = this.#clock.now().getTime()
    if (nowMs - this.#shownMs < everyMs) return
    this.#shownMs = nowMs
    this.#write(`${what}: ${this.#soFar(nowMs)}${left(share, nowMs - this.#beganMs)}\n`)
  }

  #soFar(nowMs: number): string {
    const seconds = Math.max(nowMs - this.#beganMs, 1) / 1000
    const [rows, megabytes] = [count(this.#rows), (this.#bytes / 1e6).toFixed(1)]
    const rate = `${count(Math.round(this.#rows / seconds))} rows/s, ${(this.#bytes / 1e6 / seconds).toFixed(1)} MB/s`
    return `${rows} rows, ${megabytes} MB in ${seconds.toFixed(1)} s (${rate})`
  }

  /** The line after the end. */
  summary(): string {
    return this.#soFar(this.#clock.now().getTime())
  }
}

export const count = (n: number): string => n.toLocaleString('en-US')

/** From the time that the part so far has taken. The share is an estimate. */
function left(share: number, passedMs: number): string {
  if (share < 0.01) return ''
  const done = Math.min(share, 0.99)
  return `, ${Math.floor(done * 100)} %, about ${Math.ceil(((passedMs / done) * (1 - done)) / 1000)} s left`
}

import { AsyncLocalStorage } from 'node:async_hooks'
import type { Clock } from '../../server/kernel/clock.ts'

/** The clock of a server on which a shop is made with its past: each request has a time of its own. */
export class PastClock implements Clock {
  readonly #ofRequest = new AsyncLocalStorage<Date>()
  #time: Date

  constructor(time: Date) {
    this.#time = time
  }

  now(): Date {
    return new Date(this.#ofRequest.getStore() ?? this.#time)
  }

  /** Runs what happens at a time. Jobs do not belong to a request: they have the latest of these times. */
  at<T>(time: Date, work: () => Promise<T>): Promise<T> {
    if (time > this.#time) this.#time = time
    return this.#ofRequest.run(time, work)
  }
}

const minuteMs = 60_000
export const dayMs = 24 * 60 * minuteMs

export const later = (time: Date, minutes: number): Date => new Date(time.getTime() + minutes * minuteMs)
export const daysLater = (time: Date, days: number): Date => later(time, days * 24 * 60)

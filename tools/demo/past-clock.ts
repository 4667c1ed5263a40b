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

  /** Runs what happens at a time. */
  at<T>(time: Date, work: () => Promise<T>): Promise<T> {
    return this.#ofRequest.run(time, work)
  }

  /**
   * Sets the time of jobs and chores, which belong to no request. Days after the requests to come, a chore would delete
   * carts that are not ordered yet.
   */
  goTo(time: Date): void {
    this.#time = time
  }
}

const minuteMs = 60_000
export const dayMs = 24 * 60 * minuteMs

export const later = (time: Date, minutes: number): Date => new Date(time.getTime() + minutes * minuteMs)
export const daysLater = (time: Date, days: number): Date => later(time, days * 24 * 60)

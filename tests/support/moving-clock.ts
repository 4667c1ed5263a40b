import { type Clock, systemClock } from '../../server/kernel/clock.ts'

/** A clock that a test can move forward. */
export class MovingClock implements Clock {
  #aheadMs = 0

  now(): Date {
    return new Date(systemClock.now().getTime() + this.#aheadMs)
  }

  forward(seconds: number): void {
    this.#aheadMs += seconds * 1000
  }
}

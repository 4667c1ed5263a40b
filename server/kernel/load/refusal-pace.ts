/** So many refusals a second go out as they come. To make one costs about as much as a short read. */
const perSecondMax = 1000
/** What the refusal tells the client to wait in any case. */
const heldMaxMs = 1000

/**
 * When the next refusal may go out. A client that does not wait sends its next request as soon as it has the refusal of
 * the one before, and a thousand such clients would keep the whole processor busy with refusals. So these are held back
 * where they are too many, and what is at work is not.
 */
export class RefusalPace {
  readonly #nowMs: () => number
  #nextAtMs = 0

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  /** How long to hold the next refusal. */
  nextMs(): number {
    const nowMs = this.#nowMs()
    const atMs = Math.max(nowMs, this.#nextAtMs)
    this.#nextAtMs = atMs + 1000 / perSecondMax
    return Math.min(heldMaxMs, Math.floor(atMs - nowMs))
  }
}

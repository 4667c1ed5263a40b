import { Readable, type Writable } from 'node:stream'
import { ClientGone, Unavailable } from '../../platform/faults.ts'

/** How slow a client may be. */
interface Pace {
  readonly slowMaxMs: number
  readonly bytesPerSecondMin: number
}

/**
 * The body of a response that another part of the server writes, as fast as the client reads it. It is destroyed with
 * an error if the client reads too slowly. It keeps nothing of what is written.
 */
export class LineStream extends Readable {
  readonly #pace: Pace
  readonly #response = Promise.withResolvers<Writable>()
  readonly #end = Promise.withResolvers<void>()
  /** How much longer the server waits for the client. What the client takes adds to it. */
  #patienceMs: number
  #endsResponse = true

  constructor(pace: Pace) {
    super()
    this.#pace = pace
    this.#patienceMs = pace.slowMaxMs
    // It may fail before the response listens; the writer then reports the error.
    this.on('error', () => {})
  }

  override pipe<T extends NodeJS.WritableStream>(destination: T, options?: { readonly end?: boolean }): T {
    this.#endsResponse = options?.end !== false
    this.#response.resolve(destination as unknown as Writable)
    return destination
  }

  /** Returns when the client has taken the chunk, which may then be used again. Throws when the stream is destroyed. */
  async write(chunk: Uint8Array): Promise<void> {
    const { slowMaxMs, bytesPerSecondMin } = this.#pace
    const earnedMs = (chunk.byteLength / bytesPerSecondMin) * 1000
    this.#patienceMs = Math.min(slowMaxMs, this.#patienceMs + earnedMs)
    const beganMs = performance.now()
    const patience = setTimeout(() => this.destroy(tooSlow(this.#pace)), this.#patienceMs)
    try {
      await Promise.race([this.#flush(chunk), this.#end.promise])
    } finally {
      clearTimeout(patience)
    }
    this.#mustBeOpen()
    this.#patienceMs -= performance.now() - beganMs
  }

  /** Ends the stream: the response is complete. */
  async finish(): Promise<void> {
    const response = await Promise.race([this.#response.promise, this.#end.promise])
    if (this.#endsResponse) response?.end()
    // So that listeners hear that the stream has ended.
    this.push(null)
    this.resume()
  }

  async #flush(chunk: Uint8Array): Promise<void> {
    this.#mustBeOpen()
    const response = await this.#response.promise
    await new Promise<void>((done) => response.write(chunk, () => done()))
  }

  #mustBeOpen(): void {
    if (this.errored) throw this.errored
    if (this.destroyed) throw new ClientGone()
  }

  override _read(): void {}

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#end.resolve()
    done(error)
  }
}

const tooSlow = ({ bytesPerSecondMin }: Pace) =>
  new Unavailable(`the client reads less than ${bytesPerSecondMin} bytes a second`)

import { Socket } from 'node:net'
import type pg from 'pg'

/** Takes the values of a row: between `start` and `end` are the number of columns, and the length and text of each. */
export type RowSink = (bytes: Buffer, start: number, end: number) => void

const dataRow = 68
/** A message has a type, and a length that includes itself. */
const headerBytes = 5

/**
 * Divides what the database sends into messages. Rows go to the `sink`, if there is one, and everything else to the
 * driver: it makes a text of each value, which takes longer than all that an export does with a row.
 */
class Messages {
  sink: RowSink | undefined
  readonly #forward: (message: Buffer) => void
  /** A message whose end has not arrived, or at first only its header. */
  #held: Buffer | undefined
  #heldBytes = 0

  constructor(forward: (message: Buffer) => void) {
    this.#forward = forward
  }

  /** Keeps nothing of the chunk. */
  take(chunk: Buffer): void {
    let at = this.#held ? this.#complete(this.#held, chunk) : 0
    while (chunk.length - at >= headerBytes) {
      const end = at + 1 + chunk.readUInt32BE(at + 1)
      if (end > chunk.length) break
      this.#deliver(chunk, at, end)
      at = end
    }
    if (at === chunk.length) return
    const isHeader = chunk.length - at >= headerBytes
    this.#held = Buffer.allocUnsafe(isHeader ? 1 + chunk.readUInt32BE(at + 1) : headerBytes)
    this.#heldBytes = chunk.copy(this.#held, 0, at)
  }

  /** Adds what is missing of the held message. Returns where the chunk goes on. */
  #complete(held: Buffer, chunk: Buffer): number {
    const taken = chunk.copy(held, this.#heldBytes, 0, held.length - this.#heldBytes)
    this.#heldBytes += taken
    if (this.#heldBytes < held.length) return taken
    const bytes = 1 + held.readUInt32BE(1)
    if (bytes > held.length) {
      const whole = Buffer.allocUnsafe(bytes)
      held.copy(whole)
      this.#held = whole
      return taken + this.#complete(whole, chunk.subarray(taken))
    }
    this.#held = undefined
    this.#heldBytes = 0
    this.#deliver(held, 0, bytes)
    return taken
  }

  #deliver(bytes: Buffer, at: number, end: number): void {
    if (this.sink && bytes[at] === dataRow) this.sink(bytes, at + headerBytes, end)
    else this.#forward(bytes.subarray(at, end))
  }
}

const readBytes = 262_144

/** A connection to the database that reads into the same memory again and again, since exports read much. */
class RowSocket extends Socket {
  readonly messages: Messages

  constructor() {
    const read = { take: (_: Buffer): void => {} }
    super({
      onread: {
        buffer: Buffer.allocUnsafe(readBytes),
        callback: (bytes, buffer) => {
          read.take((buffer as Buffer).subarray(0, bytes))
          return true
        },
      },
    })
    this.messages = new Messages((message) => this.emit('data', message))
    read.take = (chunk) => this.messages.take(chunk)
  }
}

/** With TLS, the driver reads from a connection that it wraps around this one. */
export const rowSocket = ({ ssl }: Pick<pg.ClientConfig, 'ssl'>): Socket =>
  ssl ? new Socket() : new RowSocket()

/** Gives the rows of this connection to `sink`. Call the returned function when the statement has ended. */
export function tapRows(client: pg.ClientBase, sink: RowSink): () => void {
  const { stream } = (client as unknown as { connection: pg.Connection }).connection
  if (stream instanceof RowSocket) {
    stream.messages.sink = sink
    return () => {
      stream.messages.sink = undefined
    }
  }
  const [parse] = stream.listeners('data') as [(chunk: Buffer) => void]
  const messages = new Messages(parse)
  messages.sink = sink
  const take = (chunk: Buffer) => messages.take(chunk)
  stream.off('data', parse)
  stream.on('data', take)
  return () => {
    stream.off('data', take)
    stream.on('data', parse)
  }
}

import { Socket } from 'node:net'
import type pg from 'pg'

/** Takes the values of a row: between `start` and `end` are the number of columns, and the length and text of each. */
export type RowSink = (bytes: Buffer, start: number, end: number) => void

/** The memory of the last long message, for the next one: a page of long rows makes no garbage of their bytes. */
let spare: Buffer | undefined
const spareBytes = { min: 65_536, max: 4 * 1024 * 1024 } as const

function memoryFor(bytes: number): Buffer {
  if (bytes < spareBytes.min || bytes > spareBytes.max) return Buffer.allocUnsafe(bytes)
  const memory = spare && spare.length >= bytes ? spare : Buffer.allocUnsafeSlow(bytes)
  spare = undefined
  return memory
}

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
  #messageBytes = 0

  constructor(forward: (message: Buffer) => void) {
    this.#forward = forward
  }

  /** Keeps nothing of the chunk. */
  take(chunk: Buffer): void {
    let at = this.#held ? this.#complete(this.#held, chunk) : 0
    /** Whole messages from here on go to the driver together. */
    let from = at
    while (chunk.length - at >= headerBytes) {
      const end = at + bytesOf(chunk, at)
      if (end > chunk.length) break
      if (this.sink && chunk[at] === dataRow) {
        this.#pass(chunk, from, at)
        this.sink(chunk, at + headerBytes, end)
        from = end
      }
      at = end
    }
    this.#pass(chunk, from, at)
    if (at === chunk.length) return
    this.#hold(chunk.length - at >= headerBytes ? bytesOf(chunk, at) : headerBytes)
    this.#heldBytes = chunk.copy(this.#held as Buffer, 0, at)
  }

  #hold(bytes: number): Buffer {
    this.#messageBytes = bytes
    this.#held = memoryFor(bytes)
    return this.#held
  }

  /** Adds what is missing of the held message. Returns where the chunk goes on. */
  #complete(held: Buffer, chunk: Buffer): number {
    const taken = chunk.copy(held, this.#heldBytes, 0, this.#messageBytes - this.#heldBytes)
    this.#heldBytes += taken
    if (this.#heldBytes < this.#messageBytes) return taken
    const bytes = bytesOf(held, 0)
    if (bytes > this.#messageBytes) {
      const whole = this.#hold(bytes)
      held.copy(whole)
      return taken + this.#complete(whole, chunk.subarray(taken))
    }
    this.#held = undefined
    this.#heldBytes = 0
    if (this.sink && held[0] === dataRow) this.sink(held, headerBytes, bytes)
    else this.#pass(held, 0, bytes)
    if (held.length >= spareBytes.min && held.length <= spareBytes.max) spare = held
    return taken
  }

  #pass(bytes: Buffer, from: number, end: number): void {
    if (from < end) this.#forward(bytes.subarray(from, end))
  }
}

/** The bytes of the message whose header begins at `at`. */
const bytesOf = (bytes: Buffer, at: number): number => 1 + bytes.readUInt32BE(at + 1)

const readBytes = 262_144

/** A connection to the database that reads into the same memory again and again: what it reads is no garbage. */
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
export const rowSocket = ({ ssl }: Pick<pg.ClientConfig, 'ssl'> = {}): Socket =>
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

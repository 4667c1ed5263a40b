import { Readable } from 'node:stream'
import { compressOnce } from './compress.ts'
import type { Coding } from './prefer.ts'

/** Content that is made once and sent to many. Each coding of it is made when the first client accepts it. */
export class StoredContent {
  readonly tag: string
  readonly #parts: readonly Uint8Array[]
  readonly #coded = new Map<Coding, Promise<Uint8Array>>()

  /** Parts may be shared with other contents: they are in memory once. */
  constructor(tag: string, parts: readonly Uint8Array[]) {
    this.tag = tag
    this.#parts = parts
  }

  /** The length in bytes, and the content as a stream. */
  plain(): { readonly length: number; readonly content: Readable } {
    const length = this.#parts.reduce((sum, { byteLength }) => sum + byteLength, 0)
    return { length, content: Readable.from(this.#parts) }
  }

  in(coding: Coding): Promise<Uint8Array> {
    const known = this.#coded.get(coding)
    if (known) return known
    const made = compressOnce(Buffer.concat(this.#parts), coding)
    this.#coded.set(coding, made)
    return made
  }
}

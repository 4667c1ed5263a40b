import { Readable } from 'node:stream'
import { compressOnce } from './compress.ts'
import type { Coding } from './prefer.ts'

/** Content that is made once and sent to many. Each coding of it is made when the first client accepts it. */
export class StoredContent {
  readonly tag: string
  /** What is not kept is not worth to be compressed. */
  readonly isKept: boolean
  readonly #parts: readonly Uint8Array[]
  readonly #coded = new Map<Coding, Promise<Uint8Array>>()

  /** Parts may be shared with other contents: they are in memory once. */
  constructor(tag: string, parts: readonly Uint8Array[], isKept = true) {
    this.tag = tag
    this.isKept = isKept
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

/** A server has few addresses, and a client that makes up more gets them, but does not fill the memory. */
const keptMax = 8

/** What differs by the address that a client calls. The first few are kept. */
export class StoredContents {
  readonly #kept = new Map<string, StoredContent>()

  /** The content with this tag, which is made of the parts if it is not kept. */
  find(tag: string, parts: () => readonly Uint8Array[]): StoredContent {
    const known = this.#kept.get(tag)
    if (known) return known
    const isKept = this.#kept.size < keptMax
    const made = new StoredContent(tag, parts(), isKept)
    if (isKept) this.#kept.set(tag, made)
    return made
  }
}

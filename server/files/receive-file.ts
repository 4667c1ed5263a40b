import type { Readable } from 'node:stream'
import { Problem } from '../kernel/errors.ts'
import type { FormFile } from '../kernel/http/form.ts'
import { bytesShown } from '../kernel/http/problems.ts'
import type { Work } from '../kernel/work/context.ts'
import type { Draft } from '../platform/blobs/blobs.ts'
import { extensionFor, extensionOf, extensions, typeOf } from './file-types.ts'
import { headBytesMax, readDimensions } from './read-dimensions.ts'

export const fileBytesMax = 8 * 1024 * 1024

/** A file that came whole, and what is known of it. */
export interface Received {
  readonly draft: Draft
  readonly values: {
    readonly file_name: string
    readonly mime_type: string
    readonly file_size: number
    readonly width?: number
    readonly height?: number
  }
}

/** Takes the file of a form: refused by its name before it is read, by its length while it comes. */
export async function receive({ instance }: Work, { fileName, type, content }: FormFile): Promise<Received> {
  const file_name = fileName || `file.${extensionFor(type) ?? 'bin'}`
  mustBeName(file_name)
  const { mime, isPicture } = kindOf(file_name)
  const head = new Head(isPicture ? headBytesMax : 0)
  const draft = await instance.blobs.draft(seen(content, head))
  const dimensions = isPicture && readDimensions(head.bytes)
  return { draft, values: { file_name, mime_type: mime, file_size: draft.bytes, ...dimensions } }
}

function mustBeName(name: string): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what no name has.
  if (name.length <= 255 && !/[\x00-\x1f\x7f]/.test(name) && name.isWellFormed()) return
  throw new Problem(
    'invalid_field',
    'The name of the file must be of 1 to 255 characters, none of them a control character.',
    {
      source: 'file',
    },
  )
}

function kindOf(name: string) {
  const kind = typeOf(extensionOf(name))
  if (kind) return kind
  throw new Problem('bad_request', 'This file type is not supported', {
    title: 'Forbidden',
    source: 'file',
    meta: { supported: extensions },
  })
}

async function* seen(content: Readable, head: Head): AsyncGenerator<Buffer> {
  let bytes = 0
  for await (const chunk of content as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > fileBytesMax) {
      throw new Problem('too_large', `The file is too large: at most ${bytesShown(fileBytesMax)}.`, {
        source: 'file',
      })
    }
    head.add(chunk)
    yield chunk
  }
}

/** The first bytes of what comes. */
class Head {
  readonly #chunks: Buffer[] = []
  #room: number

  constructor(bytesMax: number) {
    this.#room = bytesMax
  }

  add(chunk: Buffer): void {
    if (this.#room === 0) return
    const part = chunk.subarray(0, this.#room)
    this.#chunks.push(part)
    this.#room -= part.length
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#chunks)
  }
}

import type { Readable } from 'node:stream'
import { Problem } from '../../kernel/errors.ts'
import { bytesShown } from '../../kernel/http/problems.ts'
import type { FormFile } from '../../kernel/http/reading/form.ts'
import type { Work } from '../../kernel/work/context.ts'
import type { BlobDraft } from '../../platform/blobs/blobs.ts'
import { extensionOf, extensions, findExtension, findType } from './file-types.ts'
import { headBytesMax, readDimensions } from './read-dimensions.ts'

export const fileBytesMax = 8 * 1024 * 1024

/** A completely uploaded file, with its values. */
export interface UploadedFile {
  readonly draft: BlobDraft
  readonly values: {
    readonly file_name: string
    readonly mime_type: string
    readonly file_size: number
    readonly width?: number
    readonly height?: number
  }
}

/** Reads the file of a form. The name is checked before the content, and the length while it arrives. */
export async function receive(
  { instance }: Work,
  { fileName, type, content }: FormFile,
): Promise<UploadedFile> {
  const file_name = fileName || `file.${findExtension(type) ?? 'bin'}`
  mustBeName(file_name)
  const { mime, isPicture: isImage } = findKind(file_name)
  const head = new Head(isImage ? headBytesMax : 0)
  const draft = await instance.blobs.draft(limitBytes(content, head))
  const dimensions = isImage && readDimensions(head.bytes)
  return { draft, values: { file_name, mime_type: mime, file_size: draft.bytes, ...dimensions } }
}

function mustBeName(name: string): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
  if (name.length <= 255 && !/[\x00-\x1f\x7f]/.test(name) && name.isWellFormed()) return
  throw new Problem(
    'invalid_field',
    'The file name must have 1 to 255 characters and no control characters.',
    {
      source: 'file',
    },
  )
}

function findKind(name: string) {
  const kind = findType(extensionOf(name))
  if (kind) return kind
  throw new Problem('bad_request', 'This file type is not supported', {
    title: 'Forbidden',
    source: 'file',
    meta: { supported: extensions },
  })
}

async function* limitBytes(content: Readable, head: Head): AsyncGenerator<Buffer> {
  let bytes = 0
  for await (const chunk of content as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > fileBytesMax) {
      throw new Problem('too_large', `The file must have at most ${bytesShown(fileBytesMax)}.`, {
        source: 'file',
      })
    }
    head.add(chunk)
    yield chunk
  }
}

/** Collects the first bytes of a stream. */
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

import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { Problem } from '../../kernel/errors.ts'
import { lineCharactersMax, rowsMax, unpackedBytesMax } from './file-limits.ts'
import { EncodingFault, readText } from './read-text.ts'

/** A line that is not blank, and its number. */
export interface TextLine {
  readonly line: number
  readonly text: string
}

/** A file while it arrives, decompressed. */
interface UnpackedFile {
  readonly isGzip: boolean
  readonly content: AsyncIterable<Buffer>
}

/** Decompresses a file whose first bytes are those of gzip. */
export async function unpack(file: Readable): Promise<UnpackedFile> {
  const chunks = (file as AsyncIterable<Buffer>)[Symbol.asyncIterator]()
  let head = Buffer.alloc(0)
  while (head.length < 2) {
    const { done, value } = await chunks.next()
    if (done) break
    head = Buffer.concat([head, value])
  }
  async function* whole() {
    yield head
    yield* { [Symbol.asyncIterator]: () => chunks }
  }
  const isGzip = head[0] === 0x1f && head[1] === 0x8b
  return { isGzip, content: isGzip ? unzip(whole()) : whole() }
}

async function* unzip(packed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  // Errors reach the reader of the stream.
  const content = pipeline(Readable.from(packed), createGunzip(), () => {})
  try {
    yield* content as AsyncIterable<Buffer>
  } catch (error) {
    const { code } = error as { code?: unknown }
    throw String(code).startsWith('Z_') ? invalidFile('error processing gzip file') : error
  }
}

/**
 * Reads the lines of a file, one at a time. Blank lines are counted, but not returned. The first byte that is not UTF-8
 * refuses the file.
 */
export async function* readLines(content: AsyncIterable<Buffer>): AsyncGenerator<TextLine> {
  let [line, open] = [1, '']
  const add = (part: string) => {
    if (line > rowsMax) throw invalidFile(`The file has more than ${rowsMax} lines.`)
    if (open.length + part.length > lineCharactersMax)
      throw invalidFile(`line ${line}: the line has more than ${lineCharactersMax} characters.`)
    open += part
  }
  function* close(): Generator<TextLine> {
    const text = open.trim()
    if (text !== '') yield { line, text }
    line += 1
    open = ''
  }
  try {
    for await (const text of readText(limitBytes(content))) {
      let from = 0
      for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
        add(text.slice(from, end))
        yield* close()
        from = end + 1
      }
      if (from < text.length) add(text.slice(from))
    }
  } catch (error) {
    throw error instanceof EncodingFault
      ? invalidFile(`line ${line}, column ${open.length + 1}: ${error.message}`)
      : error
  }
  if (open) yield* close()
}

async function* limitBytes(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let bytes = 0
  for await (const chunk of content) {
    bytes += chunk.length
    if (bytes > unpackedBytesMax)
      throw invalidFile(`The decompressed file has more than ${unpackedBytesMax} bytes.`)
    yield chunk
  }
}

/** The refusal of a file that is not imported at all. */
export const invalidFile = (detail: string, source?: string): Problem =>
  new Problem('unprocessable', detail, { title: 'Failed Validation', ...(source && { source }) })

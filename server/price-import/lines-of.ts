import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { Problem } from '../kernel/errors.ts'
import { lineBytesMax, linesMax, unpackedBytesMax } from './file-limits.ts'

/** A line that has something on it, and where. */
export interface TextLine {
  readonly line: number
  /** Undefined: it is no UTF-8. */
  readonly text: string | undefined
}

const refuse = (detail: string) => new Problem('unprocessable', detail, { title: 'Failed Validation' })

/** A file as it comes, unpacked if it is packed. */
interface Unpacked {
  readonly isGzip: boolean
  readonly content: AsyncIterable<Buffer>
}

/** Its first bytes tell whether it is packed. */
export async function unpack(file: Readable): Promise<Unpacked> {
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
  return { isGzip, content: isGzip ? unzipped(whole()) : whole() }
}

async function* unzipped(packed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  // What goes wrong is told by whoever reads it.
  const content = pipeline(Readable.from(packed), createGunzip(), () => {})
  try {
    yield* content as AsyncIterable<Buffer>
  } catch (error) {
    const { code } = error as { code?: unknown }
    throw String(code).startsWith('Z_') ? refuse('error processing gzip file') : error
  }
}

/** Its lines, without those that are empty, which count. Never more than one of them is in memory. */
export async function* linesOf(content: AsyncIterable<Buffer>): AsyncGenerator<TextLine> {
  let [line, bytes, open] = [1, 0, [] as Buffer[]]
  let openBytes = 0
  const add = (part: Buffer) => {
    openBytes += part.length
    if (openBytes > lineBytesMax) throw refuse(`line ${line}: a line has at most ${lineBytesMax} bytes.`)
    open.push(part)
  }
  function* close(): Generator<TextLine> {
    if (line > linesMax) throw refuse(`The file has more than ${linesMax} lines.`)
    const text = textOf(Buffer.concat(open))
    if (text !== '') yield { line, text }
    line += 1
    openBytes = 0
    open = []
  }
  for await (const chunk of content) {
    bytes += chunk.length
    if (bytes > unpackedBytesMax) throw refuse(`The file is larger than ${unpackedBytesMax} bytes, unpacked.`)
    let from = 0
    for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, from)) {
      add(chunk.subarray(from, end))
      yield* close()
      from = end + 1
    }
    add(chunk.subarray(from))
  }
  if (openBytes) yield* close()
}

function textOf(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).trim()
  } catch {
    return undefined
  }
}

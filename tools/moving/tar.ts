import type { FileHandle } from 'node:fs/promises'

/**
 * Archives are tar files (ustar), which every system can open. They are written and read as streams: an entry says its
 * length before its content, so what has no length yet is written in parts.
 */

const blockBytes = 512
/** What a ustar header can say. */
const entryBytesMax = 8 * 1024 ** 3 - 1
const nameBytesMax = 100
const readBytes = 1024 * 1024

export interface ArchiveEntry {
  readonly name: string
  readonly bytes: number
  /** Read it, or what follows cannot be read either. */
  readonly content: AsyncIterable<Buffer>
}

const padding = (bytes: number) => Buffer.alloc((blockBytes - (bytes % blockBytes)) % blockBytes)

function headerOf(name: string, bytes: number): Buffer {
  if (Buffer.byteLength(name) > nameBytesMax || bytes > entryBytesMax) {
    throw new Error(`${name} does not fit into the archive: ${bytes} bytes`)
  }
  const header = Buffer.alloc(blockBytes)
  const octal = (value: number, at: number, digits: number) =>
    header.write(`${value.toString(8).padStart(digits, '0')}\0`, at, 'latin1')
  header.write(name, 0, 'utf8')
  octal(0o600, 100, 7)
  octal(0, 108, 7)
  octal(0, 116, 7)
  octal(bytes, 124, 11)
  octal(0, 136, 11)
  header.write('0', 156, 'latin1')
  header.write('ustar\x0000', 257, 'latin1')
  header.write(`${checksumOf(header).toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  return header
}

/** The sum of the header's bytes, with spaces in place of the checksum. */
const checksumOf = (header: Buffer) =>
  header.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 32 : byte), 0)

/** Writes an archive to a file, entry by entry. */
export class TarWriter {
  readonly #file: FileHandle
  #bytes = 0

  constructor(file: FileHandle) {
    this.#file = file
  }

  get bytes(): number {
    return this.#bytes
  }

  async #write(...buffers: Buffer[]): Promise<void> {
    for (const buffer of buffers) {
      for (let at = 0; at < buffer.length; ) at += (await this.#file.write(buffer, at)).bytesWritten
      this.#bytes += buffer.length
    }
  }

  async add(name: string, content: Buffer): Promise<void> {
    await this.#write(headerOf(name, content.length), content, padding(content.length))
  }

  /** The content must have exactly this length. */
  async addStream(name: string, bytes: number, content: AsyncIterable<Uint8Array>): Promise<void> {
    await this.#write(headerOf(name, bytes))
    let written = 0
    for await (const chunk of content) {
      await this.#write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength))
      written += chunk.byteLength
    }
    if (written !== bytes) throw new Error(`${name} has ${written} bytes in place of ${bytes}`)
    await this.#write(padding(bytes))
  }

  /** Two empty blocks end an archive. */
  async end(): Promise<void> {
    await this.#write(Buffer.alloc(2 * blockBytes))
  }
}

/** An archive that is cut off, or none. */
export class BrokenArchive extends Error {
  override readonly name = 'BrokenArchive'
}

/** Reads the entries of an archive, in their order. `onRead` hears how many bytes of the file were read. */
export async function* readTar(
  file: FileHandle,
  onRead: (bytes: number) => void,
): AsyncGenerator<ArchiveEntry> {
  const source = new ByteSource(file, onRead)
  for (;;) {
    const header = await source.exactly(blockBytes)
    if (header.every((byte) => byte === 0)) return
    const number = (at: number, length: number) => octalIn(header.toString('latin1', at, at + length))
    const bytes = number(124, 12)
    if (
      header.toString('latin1', 257, 262) !== 'ustar' ||
      number(148, 8) !== checksumOf(header) ||
      bytes === undefined
    ) {
      throw new BrokenArchive('a header of the archive is damaged')
    }
    const [name = ''] = header.toString('utf8', 0, nameBytesMax).split('\0')
    yield { name, bytes, content: source.content(bytes) }
    await source.exactly(padding(bytes).length)
  }
}

/** The number of a header: octal digits, and what ends them. */
function octalIn(text: string): number | undefined {
  const [, digits] = /^ *([0-7]+)[\0 ]*$/.exec(text) ?? []
  return digits === undefined ? undefined : Number.parseInt(digits, 8)
}

class ByteSource {
  readonly #file: FileHandle
  readonly #onRead: (bytes: number) => void
  #rest: Buffer = Buffer.alloc(0)

  constructor(file: FileHandle, onRead: (bytes: number) => void) {
    this.#file = file
    this.#onRead = onRead
  }

  /** At most so many bytes, at least one. */
  async #some(most: number): Promise<Buffer> {
    if (!this.#rest.length) {
      const { bytesRead, buffer } = await this.#file.read(Buffer.allocUnsafe(readBytes), 0, readBytes)
      if (bytesRead === 0) throw new BrokenArchive('the archive is cut off')
      this.#onRead(bytesRead)
      this.#rest = buffer.subarray(0, bytesRead)
    }
    const some = this.#rest.subarray(0, most)
    this.#rest = this.#rest.subarray(some.length)
    return some
  }

  async *content(bytes: number): AsyncGenerator<Buffer> {
    for (let left = bytes; left > 0; ) {
      const some = await this.#some(left)
      left -= some.length
      yield some
    }
  }

  async exactly(bytes: number): Promise<Buffer> {
    return wholeOf(this.content(bytes))
  }
}

export async function wholeOf(content: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of content) chunks.push(chunk)
  return Buffer.concat(chunks)
}

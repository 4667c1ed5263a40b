import type { Resource } from '../declare/resource.ts'
import type { Row } from '../shape/model.ts'
import type { Ctx } from '../work/context.ts'
import { objectText } from './object-text.ts'

/** The columns that `RowLines` reads, in this order; `row` is the prefix of the row's columns. */
export const lineColumns = ({ shownAs }: Resource, row: string): string =>
  [
    `${row}id`,
    `${row}created_at AT TIME ZONE 'UTC'`,
    `${row}updated_at AT TIME ZONE 'UTC'`,
    shownAs?.(row) ?? `${row}doc`,
  ].join(', ')

/** The marks of the id and the times in a sample: nothing else in a line has so many of one of them in a row. */
const marks = { id: '^', created: '`', updated: '|' } as const

const idBytes = 36
const secondBytes = 19

const time = (mark: string) => `${mark.repeat(secondBytes)}.${mark.repeat(3)}Z`
const docMark = '\u0001 '
const sample = {
  id: marks.id.repeat(idBytes),
  createdAt: time(marks.created),
  updatedAt: time(marks.updated),
  text: `{${docMark}}`,
}
const anyGap = /\^{36}|([`|])(?:\1{18}|\1{2})/g

/**
 * Whether the objects of a list differ only in the id, the times and the stored document. The others are written one by
 * one, from the values of each row.
 */
export const areUniform = ({ envelope, key, meta, links, also, shownWith, added }: Resource): boolean =>
  !(key || meta || links || also || shownWith || added) &&
  !(envelope.times === 'fields' && envelope.fields === 'attributes')

/** A place that is filled from the row, in a part of a line: all of an id, or the seconds or milliseconds of a time. */
interface Gap {
  readonly at: number
  readonly bytes: number
  readonly of: string
}

/** The part of a line before or behind the stored document, with gaps. */
interface Part {
  readonly bytes: Buffer
  readonly gaps: readonly Gap[]
}

/** The parts of the line of such an object: `objectText` writes a sample, and its marks are the gaps. */
function partsOf(resource: Resource, scope: readonly string[], ctx: Ctx, text: string): readonly Part[] {
  const { id, createdAt, updatedAt } = sample
  const row = { id, createdAt, updatedAt, text, scope, written: true } as Row
  const line = `${objectText(resource, row, ctx, true)}\n`
  return line.split(docMark).map((part) => {
    const bytes = Buffer.from(part)
    // In bytes, because the path may have any letters.
    const gaps = [...bytes.toString('latin1').matchAll(anyGap)]
    return {
      bytes,
      gaps: gaps.map((gap) => ({ at: gap.index, bytes: gap[0].length, of: gap[0].charAt(0) })),
    }
  })
}

const chunkBytes = 131_072
const [lf, t, zero] = [10, 84, 48]

/**
 * The lines of the rows of a list, put together from the bytes that the database sends. They are those that
 * `objectText` writes.
 */
export class RowLines {
  readonly #wantsIds: boolean
  readonly #parts: readonly Part[]
  readonly #emptyParts: readonly Part[]
  readonly #partsBytes: number
  #chunks: Buffer[] = []
  #count = 0
  #ids: string[] = []
  #out: Buffer = Buffer.allocUnsafeSlow(chunkBytes)
  readonly #free: Buffer[] = []
  #at = 0
  /** The next line end in the bytes that were read last. */
  #read: Buffer | undefined
  #lineEnd = -1

  constructor(resource: Resource, scope: readonly string[], ctx: Ctx, wantsIds: boolean) {
    this.#parts = partsOf(resource, scope, ctx, sample.text)
    this.#emptyParts = partsOf(resource, scope, ctx, '{}')
    this.#partsBytes = this.#parts.reduce((sum, { bytes }) => sum + bytes.length, 0)
    this.#wantsIds = wantsIds
  }

  /** Adds the line of a row with the `lineColumns`: a `RowSink`. */
  readonly take = (bytes: Buffer, start: number): void => {
    const idAt = start + 6
    const createdAt = idAt + int32(bytes, start + 2) + 4
    const updatedAt = createdAt + int32(bytes, createdAt - 4) + 4
    const docAt = updatedAt + int32(bytes, updatedAt - 4) + 4
    const docEnd = docAt + int32(bytes, docAt - 4)
    const needed = this.#partsBytes + docEnd - docAt
    if (this.#out.length - this.#at < needed) this.#cutChunk(needed)
    const out = this.#out
    const lineAt = this.#at
    let at = lineAt
    const parts = docEnd - docAt > 2 ? this.#parts : this.#emptyParts
    for (let i = 0; i < parts.length; i++) {
      const part = parts[i] as Part
      if (i > 0) at += bytes.copy(out, at, docAt + 1, docEnd - 1)
      part.bytes.copy(out, at)
      for (const gap of part.gaps) {
        if (gap.of === marks.id) copyId(bytes, idAt, out, at + gap.at)
        else if (gap.of === marks.created)
          copyTime(bytes, createdAt, updatedAt - 4, out, at + gap.at, gap.bytes)
        else copyTime(bytes, updatedAt, docAt - 4, out, at + gap.at, gap.bytes)
      }
      at += part.bytes.length
    }
    if (this.#hasLineEnd(bytes, docAt, docEnd)) at = this.#joinLine(lineAt, at)
    this.#at = at
    this.#count += 1
    if (this.#wantsIds) this.#ids.push(bytes.toString('latin1', idAt, idAt + idBytes))
  }

  /** Takes away the lines since the last call, with the number of rows, and their ids if they are wanted. */
  cut(): { readonly chunks: readonly Buffer[]; readonly count: number; readonly ids: readonly string[] } {
    this.#cutChunk()
    const lines = { chunks: this.#chunks, count: this.#count, ids: this.#ids }
    this.#chunks = []
    this.#count = 0
    this.#ids = []
    return lines
  }

  /** Takes back a chunk that nobody reads any more: new memory for each of them would cost more than all the rest. */
  reuse({ buffer }: Buffer): void {
    if (buffer.byteLength === chunkBytes) this.#free.push(Buffer.from(buffer as ArrayBuffer))
  }

  #cutChunk(bytes = chunkBytes): void {
    if (this.#at > 0) {
      this.#chunks.push(this.#out.subarray(0, this.#at))
      this.#at = 0
    } else if (bytes <= this.#out.length) return
    this.#out =
      (bytes <= chunkBytes && this.#free.pop()) || Buffer.allocUnsafeSlow(Math.max(bytes, chunkBytes))
  }

  /** Searches for line ends in all that has arrived, since almost no document has one. */
  #hasLineEnd(bytes: Buffer, from: number, to: number): boolean {
    if (bytes !== this.#read || (this.#lineEnd >= 0 && this.#lineEnd < from)) {
      this.#read = bytes
      this.#lineEnd = bytes.indexOf(lf, from)
    }
    return this.#lineEnd >= 0 && this.#lineEnd < to
  }

  /** Writes the line again, without the line ends inside; that is not longer. */
  #joinLine(from: number, to: number): number {
    const line = this.#out.toString('utf8', from, to - 1)
    return from + this.#out.write(`${inOneLine(line)}\n`, from)
  }
}

const int32 = (bytes: Buffer, at: number): number =>
  ((bytes[at] as number) << 24) |
  ((bytes[at + 1] as number) << 16) |
  ((bytes[at + 2] as number) << 8) |
  (bytes[at + 3] as number)

// For so few bytes, a loop is faster than a call.
function copyId(bytes: Buffer, from: number, out: Buffer, at: number): void {
  for (let i = 0; i < idBytes; i++) out[at + i] = bytes[from + i] as number
}

/** PostgreSQL writes `2026-01-02 03:04:05.67`, without zeros at the end: the seconds, or the milliseconds. */
function copyTime(bytes: Buffer, from: number, to: number, out: Buffer, at: number, count: number): void {
  if (count === secondBytes) {
    for (let i = 0; i < secondBytes; i++) out[at + i] = bytes[from + i] as number
    out[at + 10] = t
    return
  }
  const first = from + secondBytes + 1
  for (let i = 0; i < count; i++) out[at + i] = first + i < to ? (bytes[first + i] as number) : zero
}

/** Some documents have line ends between their values, where they mean nothing. */
export const inOneLine = (text: string): string =>
  text.includes('\n') ? text.replaceAll(/[\r\n]+/g, ' ') : text

import type { Resource } from '../declare/resource.ts'
import type { Row } from '../shape/model.ts'
import type { Ctx } from '../work/context.ts'
import { type CellPath, cellAt, cellOf, lineOf, memberOf } from './csv-line.ts'
import { type Cell, DocumentCells } from './document-cells.ts'
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

/** The text of a sample with this document; its marks are the gaps. */
function sampleText(resource: Resource, scope: readonly string[], ctx: Ctx, text: string): string {
  const { id, createdAt, updatedAt } = sample
  return objectText(resource, { id, createdAt, updatedAt, text, scope, written: true } as Row, ctx, true)
}

/** The parts of the line of such an object. */
const partsOf = (resource: Resource, scope: readonly string[], ctx: Ctx, text: string): readonly Part[] =>
  toParts(`${sampleText(resource, scope, ctx, text)}\n`)

/** Divides the line of a sample at its marks of the document. */
const toParts = (line: string): readonly Part[] =>
  line.split(docMark).map((part) => {
    const bytes = Buffer.from(part)
    // In bytes, because the path may have any letters.
    const gaps = [...bytes.toString('latin1').matchAll(anyGap)]
    return {
      bytes,
      gaps: gaps.map((gap) => ({ at: gap.index, bytes: gap[0].length, of: gap[0].charAt(0) })),
    }
  })

const chunkBytes = 131_072
const [lf, t, zero, quote] = [10, 84, 48, 34]

/** Where the `lineColumns` of a row are in what the database sent. */
interface RowBytes {
  readonly bytes: Buffer
  readonly idAt: number
  readonly createdAt: number
  readonly updatedAt: number
  readonly docAt: number
  readonly docEnd: number
}

/**
 * The lines of the rows of a list, made from the bytes that the database sends. They show what `objectText` writes.
 */
export abstract class RowLines {
  readonly #wantsIds: boolean
  #chunks: Buffer[] = []
  #count = 0
  #ids: string[] = []
  readonly #free: Buffer[] = []
  /** The chunk that is written, and where it goes on. */
  protected out: Buffer = Buffer.allocUnsafeSlow(chunkBytes)
  protected at = 0

  constructor(wantsIds: boolean) {
    this.#wantsIds = wantsIds
  }

  protected abstract add(row: RowBytes): void

  /** Adds the line of a row with the `lineColumns`: a `RowSink`. */
  readonly take = (bytes: Buffer, start: number): void => {
    const idAt = start + 6
    const createdAt = idAt + int32(bytes, start + 2) + 4
    const updatedAt = createdAt + int32(bytes, createdAt - 4) + 4
    const docAt = updatedAt + int32(bytes, updatedAt - 4) + 4
    this.add({ bytes, idAt, createdAt, updatedAt, docAt, docEnd: docAt + int32(bytes, docAt - 4) })
    this.#count += 1
    if (this.#wantsIds) this.#ids.push(bytes.toString('latin1', idAt, idAt + idBytes))
  }

  /** Takes away the lines since the last call, with the number of rows, and their ids if they are wanted. */
  cut(): { readonly chunks: readonly Buffer[]; readonly count: number; readonly ids: readonly string[] } {
    this.#cutChunk(chunkBytes)
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

  /** Begins a new chunk if this one has no room for so many bytes. */
  protected makeRoom(bytes: number): void {
    if (this.out.length - this.at < bytes) this.#cutChunk(bytes)
  }

  #cutChunk(bytes: number): void {
    if (this.at > 0) {
      this.#chunks.push(this.out.subarray(0, this.at))
      this.at = 0
    } else if (bytes <= this.out.length) return
    this.out =
      (bytes <= chunkBytes && this.#free.pop()) || Buffer.allocUnsafeSlow(Math.max(bytes, chunkBytes))
  }
}

/** Lines of JSON: a sample, whose gaps are filled without reading the document. */
export class JsonRowLines extends RowLines {
  readonly #parts: readonly Part[]
  readonly #emptyParts: readonly Part[]
  readonly #partsBytes: number
  /** The next line end in the bytes that were read last. */
  #read: Buffer | undefined
  #lineEnd = -1

  constructor(resource: Resource, scope: readonly string[], ctx: Ctx, wantsIds: boolean) {
    super(wantsIds)
    this.#parts = partsOf(resource, scope, ctx, sample.text)
    this.#emptyParts = partsOf(resource, scope, ctx, '{}')
    this.#partsBytes = this.#parts.reduce((sum, { bytes }) => sum + bytes.length, 0)
  }

  protected override add(row: RowBytes): void {
    const { bytes, docAt, docEnd } = row
    this.makeRoom(this.#partsBytes + docEnd - docAt)
    const { out, at: lineAt } = this
    let at = lineAt
    const parts = docEnd - docAt > 2 ? this.#parts : this.#emptyParts
    for (let i = 0; i < parts.length; i++) {
      const part = parts[i] as Part
      if (i > 0) at += bytes.copy(out, at, docAt + 1, docEnd - 1)
      at = writePart(part, row, out, at)
    }
    if (this.#hasLineEnd(bytes, docAt, docEnd)) at = this.#joinLine(lineAt, at)
    this.at = at
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
    const line = this.out.toString('utf8', from, to - 1)
    return from + this.out.write(`${inOneLine(line)}\n`, from)
  }
}

/** Lines of CSV: a sample, whose gaps are filled, between the values of the document. */
export class CsvRowLines extends RowLines {
  /** What is before, between and behind the values. */
  readonly #parts: readonly Part[]
  readonly #values: DocumentCells
  /** How long a line is at most, without its document. */
  readonly #partsBytes: number

  constructor(
    columns: readonly CellPath[],
    resource: Resource,
    scope: readonly string[],
    ctx: Ctx,
    wantsIds: boolean,
  ) {
    super(wantsIds)
    const shared: unknown = JSON.parse(sampleText(resource, scope, ctx, '{}'))
    const isShared = ([name = '']: CellPath) => memberOf(shared, name) !== undefined
    const cells = columns.map((path) => (isShared(path) ? cellAt(shared, path) : docMark))
    this.#parts = toParts(lineOf(cells))
    this.#values = new DocumentCells(columns.filter((path) => !isShared(path)))
    const quotes = 2 * this.#values.cells.length
    this.#partsBytes = this.#parts.reduce((sum, { bytes }) => sum + bytes.length, quotes)
  }

  protected override add(row: RowBytes): void {
    const { bytes, docAt, docEnd } = row
    const { cells } = this.#values
    this.#values.find(bytes, docAt, docEnd)
    const plainBytes = this.#partsBytes + docEnd - docAt
    this.makeRoom(plainBytes)
    this.at = writePart(this.#parts[0] as Part, row, this.out, this.at)
    for (let i = 0; i < cells.length; i++) {
      const { form, from, to } = cells[i] as Cell
      if (form === 'json') {
        const text = cellOf(JSON.parse(bytes.toString('utf8', from, to)))
        // No letter of a text takes more than three bytes.
        this.makeRoom(3 * text.length + plainBytes)
        this.at += this.out.write(text, this.at)
      } else if (form !== 'none') {
        if (form === 'quoted') this.out[this.at++] = quote
        this.at = copyBytes(bytes, from, to, this.out, this.at)
        if (form === 'quoted') this.out[this.at++] = quote
      }
      this.at = writePart(this.#parts[i + 1] as Part, row, this.out, this.at)
    }
  }
}

/** Writes a part of a line, with its gaps filled. Returns where the line goes on. */
function writePart(part: Part, row: RowBytes, out: Buffer, at: number): number {
  const { bytes, idAt, createdAt, updatedAt, docAt } = row
  copyBytes(part.bytes, 0, part.bytes.length, out, at)
  for (const gap of part.gaps) {
    if (gap.of === marks.id) copyId(bytes, idAt, out, at + gap.at)
    else if (gap.of === marks.created) copyTime(bytes, createdAt, updatedAt - 4, out, at + gap.at, gap.bytes)
    else copyTime(bytes, updatedAt, docAt - 4, out, at + gap.at, gap.bytes)
  }
  return at + part.bytes.length
}

const int32 = (bytes: Buffer, at: number): number =>
  ((bytes[at] as number) << 24) |
  ((bytes[at + 1] as number) << 16) |
  ((bytes[at + 2] as number) << 8) |
  (bytes[at + 3] as number)

/** For a few bytes, a loop is faster than a call. Returns where the copy ends. */
function copyBytes(bytes: Buffer, from: number, to: number, out: Buffer, at: number): number {
  if (to - from > loopMax) return at + bytes.copy(out, at, from, to)
  for (let i = from; i < to; i++) out[at + i - from] = bytes[i] as number
  return at + to - from
}

const loopMax = 48

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

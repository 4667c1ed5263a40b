import { toCsvLine } from '../../kernel/http/csv-line.ts'
import { findAll } from '../../kernel/query/find.ts'
import type { Work } from '../../kernel/work/context.ts'
import { storeExport } from '../../store/index.ts'
import { products } from '../products/products.ts'
import type { ExportColumn } from './export-columns.ts'
import { toCells } from './export-row.ts'

/** How many products are in memory at a time. */
const perRead = 250

/** A stored file, and how far it reaches. */
export interface ExportFile {
  /** The name of its blob, without the store. */
  readonly fileId: string
  readonly rows: number
  /** The last product that has been written or skipped. */
  readonly last: string
}

/** Writes these products to a file, or as many of them as fit. */
export async function writeFile(
  work: Work,
  columns: readonly ExportColumn[],
  ids: readonly string[],
  bytesMax: number,
): Promise<ExportFile> {
  const progress = { rows: 0, last: '' }
  const fileId = await storeExport(work, writeContent(work, columns, ids, bytesMax, progress))
  return { fileId, ...progress }
}

async function* writeContent(
  work: Work,
  columns: readonly ExportColumn[],
  ids: readonly string[],
  bytesMax: number,
  progress: { rows: number; last: string },
): AsyncGenerator<Uint8Array> {
  const header = Buffer.from(toCsvLine(columns.map(({ name }) => name)))
  yield header
  let bytes = header.length
  for (let at = 0; at < ids.length; at += perRead) {
    const some = ids.slice(at, at + perRead)
    const lines: Buffer[] = []
    for (const row of await findAll(work, products, some)) {
      const line = Buffer.from(toCsvLine(toCells(columns, row)))
      if (progress.rows && bytes + line.length > bytesMax) return yield Buffer.concat(lines)
      lines.push(line)
      bytes += line.length
      progress.rows += 1
      progress.last = row.id
    }
    // Some may have been deleted meanwhile.
    progress.last = some.at(-1) ?? ''
    yield Buffer.concat(lines)
  }
}

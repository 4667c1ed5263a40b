import { newId } from '../kernel/ids.ts'
import { findAll } from '../kernel/query/find.ts'
import type { Work } from '../kernel/work/context.ts'
import { blobName } from '../platform/blobs/blobs.ts'
import { products } from '../products/index.ts'
import type { ExportColumn } from './export-columns.ts'
import { cellsOf, csvLine } from './export-row.ts'

/** As many products as are in memory at a time. */
const perRead = 250

/** A file that is kept, and how far it has come. */
export interface Written {
  /** The name of its content, without the store's. */
  readonly fileId: string
  readonly rows: number
  /** The last product that it is done with. */
  readonly last: string
}

/** Writes a file of these products, or of as many of the first of them as its bytes have room for. */
export async function writeFile(
  work: Work,
  columns: readonly ExportColumn[],
  ids: readonly string[],
  bytesMax: number,
): Promise<Written> {
  const progress = { rows: 0, last: '' }
  const draft = await work.instance.blobs.draft(contentOf(work, columns, ids, bytesMax, progress))
  try {
    const fileId = newId()
    // It is no file of the store's: `files` forgets it after a day.
    await draft.keep(blobName(work.store.id, fileId))
    return { fileId, ...progress }
  } finally {
    await draft.discard()
  }
}

async function* contentOf(
  work: Work,
  columns: readonly ExportColumn[],
  ids: readonly string[],
  bytesMax: number,
  progress: { rows: number; last: string },
): AsyncGenerator<Uint8Array> {
  const header = Buffer.from(csvLine(columns.map(({ name }) => name)))
  yield header
  let bytes = header.length
  for (let at = 0; at < ids.length; at += perRead) {
    const some = ids.slice(at, at + perRead)
    const lines: Buffer[] = []
    for (const row of await findAll(work, products, some)) {
      const line = Buffer.from(csvLine(cellsOf(columns, row)))
      if (progress.rows && bytes + line.length > bytesMax) return yield Buffer.concat(lines)
      lines.push(line)
      bytes += line.length
      progress.rows += 1
      progress.last = row.id
    }
    // Some may be gone by now.
    progress.last = some.at(-1) ?? ''
    yield Buffer.concat(lines)
  }
}

import { toCsvLine } from '../../kernel/http/csv-line.ts'
import { findAll } from '../../kernel/query/find.ts'
import type { Row } from '../../kernel/shape/model.ts'
import { ownValue } from '../../kernel/shape/values.ts'
import type { Work } from '../../kernel/work/context.ts'
import { bytesMax, linkMs, type PimJob, pimJob, signLink, storeExport } from '../../store/index.ts'
import type { ProductFields } from '../product-fields/product-fields.ts'
import { products } from '../products/products.ts'
import { type ColumnRequest, type ExportColumn, expandKeys } from './export-columns.ts'
import { countExported, listExportedAfter, listKeys } from './exported-products.ts'
import { removeMarker } from './import-row.ts'

interface ExportPayload {
  readonly columns: readonly ColumnRequest[]
  readonly filter: string
  /** The base URL of the request, for links. */
  readonly baseUrl: string
}

interface ExportState {
  readonly columns: readonly ExportColumn[]
  /** The last product in a file. */
  readonly last: string
  readonly of: number
  readonly done: number
  /** The stored files, in order. */
  readonly fileIds: readonly string[]
}

const first = '00000000-0000-0000-0000-000000000000'

/** A file has fewer rows than an import may have: merchants add some. */
export const exportedRowsMax = 10_000

/** Writes products to files, one file in each part. */
export const productExportOf = (rowsMax: number, fileBytesMax: number): PimJob<ExportPayload> =>
  pimJob<ExportPayload, ExportState, { readonly before: ExportState; readonly written?: ExportFile }>({
    type: 'product-export',

    async prepare(work, { payload, state }) {
      const before = state ?? (await begin(work, payload))
      const ids = await listExportedAfter(work, payload.filter, before.last, rowsMax)
      if (!ids.length) return { before }
      return { before, written: await writeFile(work, before.columns, ids, fileBytesMax) }
    },

    async run({ store, instance }, { payload: { baseUrl }, prepared: { before, written } }) {
      const { of, fileIds } = before
      if (written) {
        const done = before.done + written.rows
        const next = { ...before, last: written.last, done, fileIds: [...fileIds, written.fileId] }
        return { next, details: { progress: { done, of: Math.max(done, of) } } }
      }
      const untilMs = instance.clock.now().getTime() + linkMs
      const links = fileIds.map((id, i) => signLink(instance, store.id, `${id}_part_${i + 1}.csv`, untilMs))
      return { details: { file_locations: links.map((link) => baseUrl + link) } }
    },
  })

async function begin(work: Work, { columns, filter }: ExportPayload): Promise<ExportState> {
  const keys = {
    admin_attributes: await listKeys(work, filter, 'admin_attributes'),
    shopper_attributes: await listKeys(work, filter, 'shopper_attributes'),
  }
  const of = await countExported(work, filter)
  return { columns: expandKeys(columns, keys), last: first, of, done: 0, fileIds: [] }
}

export const productExport = productExportOf(exportedRowsMax, bytesMax)

/** How many products are in memory at a time. */
const perRead = 250

/** A stored file, and how far it reaches. */
interface ExportFile {
  /** The name of its blob, without the store. */
  readonly fileId: string
  readonly rows: number
  /** The last product that has been written or skipped. */
  readonly last: string
}

/** Writes these products to a file, or as many of them as fit. */
async function writeFile(
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

/** The cells of a product. Importing them changes nothing. */
function toCells(columns: readonly ExportColumn[], row: Row<ProductFields>): readonly string[] {
  const { doc, hidden } = row
  return columns.map((column) => toCell(column, row, doc, hidden))
}

function toCell(
  column: ExportColumn,
  row: Row<ProductFields>,
  doc: Row<ProductFields>['doc'],
  hidden: Row<ProductFields>['hidden'],
): string {
  switch (column.is) {
    case 'id':
      return row.id
    case 'created_at':
      return row.createdAt
    case 'updated_at':
      return row.updatedAt
    case 'main_image':
      return hidden.relationships?.main_image?.data.id ?? ''
    case 'attribute':
      return column.name === 'tags' ? (doc.tags ?? []).join(',') : (doc[column.name] ?? '')
    case 'key': {
      const keys = doc[column.of] ?? {}
      // An empty cell would create the key with an empty text.
      return Object.hasOwn(keys, column.key) ? (keys[column.key] ?? '') : removeMarker
    }
    case 'template': {
      const { extensions = {} } = doc as { extensions?: Readonly<Record<string, Record<string, unknown>>> }
      return String(ownValue(ownValue(extensions, column.template), column.field) ?? '')
    }
  }
}

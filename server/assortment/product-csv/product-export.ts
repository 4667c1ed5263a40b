import type { Work } from '../../kernel/work/context.ts'
import { bytesMax, linkMs, type PimJob, pimJob, signLink } from '../../store/index.ts'
import { type ColumnRequest, type ExportColumn, expandKeys } from './export-columns.ts'
import { countExported, listExportedAfter, listKeys } from './exported-products.ts'
import { type ExportFile, writeFile } from './write-file.ts'

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

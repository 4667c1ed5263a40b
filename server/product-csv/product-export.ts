import { bytesMax } from '../imports/index.ts'
import { type PimJob, pimJob } from '../jobs/index.ts'
import type { Work } from '../kernel/work/context.ts'
import { type ExportColumn, expanded, type Wanted } from './export-columns.ts'
import { countFound, foundBehind, keysFound } from './found-products.ts'
import { linkTo } from './serve-export.ts'
import { type Written, writeFile } from './write-file.ts'

interface Asked {
  readonly wanted: readonly Wanted[]
  readonly filter: string
  /** Links begin with the address that the request came to. */
  readonly baseUrl: string
}

interface State {
  readonly columns: readonly ExportColumn[]
  /** The last product that is in a file. */
  readonly last: string
  readonly of: number
  readonly done: number
  /** The contents that are kept, in their order. */
  readonly fileIds: readonly string[]
}

const first = '00000000-0000-0000-0000-000000000000'

/** A file has fewer rows than an import may have: merchants add some. */
export const exportedRowsMax = 10_000

const keptForMs = 3_600_000

/** Writes products to files, one in each part. */
export const exportJob = (rowsMax: number, fileBytesMax: number): PimJob<Asked> =>
  pimJob<Asked, State, { readonly before: State; readonly written?: Written }>({
    type: 'product-export',

    async prepare(work, { payload, state }) {
      const before = state ?? (await begin(work, payload))
      const ids = await foundBehind(work, payload.filter, before.last, rowsMax)
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
      const untilMs = instance.clock.now().getTime() + keptForMs
      const links = fileIds.map((id, i) => linkTo(instance, store.id, `${id}_part_${i + 1}.csv`, untilMs))
      return { details: { file_locations: links.map((link) => baseUrl + link) } }
    },
  })

async function begin(work: Work, { wanted, filter }: Asked): Promise<State> {
  const keys = {
    admin_attributes: await keysFound(work, filter, 'admin_attributes'),
    shopper_attributes: await keysFound(work, filter, 'shopper_attributes'),
  }
  const of = await countFound(work, filter)
  return { columns: expanded(wanted, keys), last: first, of, done: 0, fileIds: [] }
}

export const productExport = exportJob(exportedRowsMax, bytesMax)

import { Problem } from '../kernel/errors.ts'
import { findById } from '../kernel/query/find.ts'
import type { Work } from '../kernel/work/context.ts'
import { type DocumentedJob, documentedJob, type JobDocument } from '../store/index.ts'
import {
  type BulkChangeFields,
  bulkChangeRefusals,
  bulkChanges,
  type Counts,
  endStatuses,
  type RefusedObject,
  storedRefusals,
} from './bulk-changes.ts'
import {
  type Author,
  asAuthor,
  type ChangePlan,
  changeRow,
  rowsOf,
  toRefusal,
  valuesBefore,
} from './change-row.ts'
import { noteWritten, type PartRow, readPart } from './parts.ts'
import { type ChangeableLists, mustBeAllowed } from './targets.ts'

interface Details {
  readonly counts: Counts
}

interface BulkChangePayload {
  readonly bulkChangeId: string
  readonly who: Author
}

export type BulkChangeJob = DocumentedJob<BulkChangePayload, BulkChangeFields>

const isEnd = (status: string) => endStatuses.some((one) => one === status)

/** A bulk change shows its own work. */
const document: JobDocument<BulkChangeFields, Details> = {
  resource: bulkChanges,
  read: ({ doc: { status, waiting_for }, hidden: { next_part } }) => ({
    phase: isEnd(status) ? 'ended' : status === 'pending' ? 'pending' : 'started',
    state: next_part,
    waitingFor: waiting_for,
    errorCount: 0,
  }),
  show: ({ doc }, event) => {
    if (event.is === 'waiting') return { waiting_for: event.reason }
    const details = { ...('details' in event && event.details), waiting_for: undefined }
    if (event.is === 'started')
      return { ...details, status: 'started', started_at: doc.started_at ?? event.at }
    if (event.is === 'part done') return { ...details, next_part: Number(event.state) }
    return { ...details, status: event.isSuccess ? 'success' : 'failed', completed_at: event.at }
  },
  addErrors: async (work, { id, doc: { counts } }, errors) =>
    storeRefusals(
      work,
      id,
      errors.map((detail) => ({ object_id: undefined, code: 'internal', detail, source: undefined })),
      counts?.refused ?? 0,
    ),
}

export async function storeRefusals(
  { store }: Work,
  bulkChangeId: string,
  refusals: readonly RefusedObject[],
  stored: number,
): Promise<void> {
  const rows = storedRefusals(refusals, stored).map((values) => ({ scope: [bulkChangeId], values }))
  await store.insertAll(bulkChangeRefusals, rows)
}

/** Changes the objects of a bulk change, part by part. */
export const runBulkChange = (targets: ChangeableLists): BulkChangeJob =>
  documentedJob<BulkChangePayload, BulkChangeFields, number, void, Details>({
    name: 'bulk-changes:run-bulk-change',
    document,
    placeOf: ({ bulkChangeId }) => ({ id: bulkChangeId }),
    async run(work, { bulkChangeId, who }, part = 0) {
      const rows = await readPart(work.store, bulkChangeId, part)
      if (!rows) return {}
      const { doc } = await findById(work, bulkChanges, bulkChangeId, [])
      const ctx = asAuthor(work, who)
      const target = targets.at(doc.list)
      mustBeAllowed(ctx, target)
      const { source } = await rowsOf(ctx, target)
      const { written, refusals } = await changePart(work, who, { target, source, change: doc }, rows)
      const counts = doc.counts as Counts
      await noteWritten(work.store, bulkChangeId, part, written)
      await storeRefusals(work, bulkChangeId, refusals, counts.refused)
      const changed = written.filter((version) => version !== null).length
      const unchanged = rows.length - changed - refusals.length
      return {
        next: part + 1,
        details: {
          counts: {
            chosen: counts.chosen,
            changed: counts.changed + changed,
            unchanged: counts.unchanged + unchanged,
            refused: counts.refused + refusals.length,
          },
        },
      }
    },
  })

/** What a refused object has written is undone, and the others go on. */
async function changePart(work: Work, who: Author, plan: ChangePlan, rows: readonly PartRow[]) {
  const { resource } = plan.source
  const before = await valuesBefore(work, resource, rows)
  const refusals: RefusedObject[] = []
  for (const row of rows) {
    try {
      await work.store.attempt(() => changeRow(asAuthor(work, who), plan, row, before))
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      refusals.push(toRefusal(row.id, error))
    }
  }
  const refused = new Set(refusals.map(({ object_id: id }) => id))
  const versions = await versionsOf(work, resource.table, rows)
  const written = rows.map(({ id, version }) => {
    const now = versions.get(id)
    return refused.has(id) || now === undefined || now === version ? null : now
  })
  return { written, refusals }
}

/** An object may change again with another one of its part: what counts is how the part leaves it. */
async function versionsOf(
  { store }: Work,
  table: string,
  rows: readonly PartRow[],
): Promise<ReadonlyMap<string, number>> {
  const found = await store.run(
    `SELECT id, version FROM ${table} WHERE store_id = $1 AND id = ANY($2::uuid[])`,
    rows.map(({ id }) => id),
  )
  return new Map(found.map(([id, version]) => [id as string, Number(version)]))
}

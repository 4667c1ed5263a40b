import { action } from '../kernel/declare/action.ts'
import { Problem } from '../kernel/errors.ts'
import { sequence } from '../kernel/feed/sequence.ts'
import { objectAnswer } from '../kernel/http/object-answer.ts'
import { findById, findByName } from '../kernel/query/find.ts'
import { change } from '../kernel/write/by-rules.ts'
import { bulkChanges } from './bulk-changes.ts'
import { rowsOf } from './change-row.ts'
import { start } from './create-bulk-change.ts'
import { writtenRows } from './parts.ts'
import { sample } from './preview.ts'
import type { BulkChangeJob } from './run-bulk-change.ts'
import { type ChangeableLists, mustBeAllowed } from './targets.ts'

const noValues = { type: 'bulk_change', fields: {}, optional: true } as const

export const undoBulkChange = (targets: ChangeableLists, job: BulkChangeJob) =>
  action({
    name: 'undo-bulk-change',
    route: 'POST /v2/bulk-changes/:id/undo',
    about:
      'Puts back what a bulk change has changed, by another bulk change: each object gets the values that the audit has ' +
      'from before. An object that has changed since is refused. It can be undone, too.',
    area: 'bulk-changes',
    status: 201,
    body: noValues,
    refuses: ['forbidden', 'unprocessable', 'rate_limited'],
    shows: { resource: bulkChanges, beside: { sample } },
    async run(ctx, { params }) {
      const { id, doc } = await findByName(ctx, bulkChanges, params.id)
      if (doc.status === 'pending' || doc.status === 'started') {
        const detail = `The bulk change is ${doc.status}: cancel it, or wait until it has ended.`
        throw new Problem('unprocessable', detail)
      }
      const target = targets.at(doc.list)
      mustBeAllowed(ctx, target)
      if (target.update.id === 'update-stock') {
        const detail = 'Stock that was set cannot be put back, because it has been sold and counted since.'
        throw new Problem('unprocessable', detail)
      }
      // The audit must have all that the bulk change has written.
      await sequence(ctx.store)
      const { source } = await rowsOf(ctx, target)
      const plan = { target, source, change: {} }
      const rows = await writtenRows(ctx.store, id)
      return start(ctx, job, { plan, rows, values: { list: doc.list, undo_of: id } })
    },
  })

export const cancelBulkChange = action({
  name: 'cancel-bulk-change',
  route: 'POST /v2/bulk-changes/:id/cancel',
  about: 'Ends a bulk change before its next part. What it has changed stays, and can be undone.',
  area: 'bulk-changes',
  status: 200,
  refuses: ['unprocessable'],
  shows: { resource: bulkChanges },
  async run(ctx, { params }) {
    const { id } = await findByName(ctx, bulkChanges, params.id)
    await ctx.store.lock(bulkChanges, id)
    const { doc } = await findById(ctx, bulkChanges, id, [])
    if (doc.status !== 'pending' && doc.status !== 'started')
      throw new Problem(
        'unprocessable',
        `The bulk change has the status ${doc.status}; only an open one can be cancelled.`,
      )
    const completed_at = ctx.clock.now().toISOString()
    const row = await change(ctx, bulkChanges, [], id, { status: 'cancelled', completed_at })
    return objectAnswer(200, bulkChanges, row, ctx)
  },
})

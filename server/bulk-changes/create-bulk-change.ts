import { action } from '../kernel/declare/action.ts'
import { Problem } from '../kernel/errors.ts'
import { objectAnswer } from '../kernel/http/object-answer.ts'
import { chooseRows } from '../kernel/request/source-of-list.ts'
import type { Answer } from '../kernel/shape/answer.ts'
import { list, type New, text } from '../kernel/shape/fields.ts'
import type { Ctx } from '../kernel/work/context.ts'
import { startDocumented } from '../store/index.ts'
import { mustBeShown } from './body-of-row.ts'
import {
  type BulkChangeFields,
  bulkChangeInput,
  bulkChanges,
  idsMax,
  patchCharsMax,
  type RefusedObject,
  rowsMax,
} from './bulk-changes.ts'
import { type ChangePlan, rowsOf, toRefusal } from './change-row.ts'
import { type PartRow, storeParts } from './parts.ts'
import { preview, sample } from './preview.ts'
import { type BulkChangeJob, storeRefusals } from './run-bulk-change.ts'
import { type ChangeableLists, mustBeAllowed } from './targets.ts'

/** How many bulk changes of a store may be open. */
const openMax = 20

export const createBulkChange = (targets: ChangeableLists, job: BulkChangeJob) =>
  action({
    name: 'create-bulk-change',
    route: 'POST /v2/bulk-changes',
    about:
      `Changes many objects of a list after the response: those that match a filter, or that are named, at most ${rowsMax}. ` +
      'The caller needs the right to update one of them. An object that changes between the request and its turn is ' +
      'refused. `Prefer: dry-run` answers how many there are, and tries some of them.',
    area: 'bulk-changes',
    status: 201,
    body: {
      type: 'bulk_change',
      fields: {
        ...bulkChangeInput,
        ids: list(text({ format: 'uuid' }), {
          minItems: 1,
          maxItems: idsMax,
          about: `The ids of the objects to change, at most ${idsMax}. With a filter, too, both must hold.`,
        }),
      },
      example: { list: '/pcm/products', filter: 'eq(sku,rye)', patch: { attributes: { status: 'live' } } },
    },
    refuses: ['forbidden', 'not_found', 'unprocessable', 'rate_limited'],
    shows: { resource: bulkChanges, beside: { sample } },
    async run(ctx, { body: { ids: sent, ...values } }) {
      mustChangeSomething(values)
      const target = targets.at(values.list)
      mustBeAllowed(ctx, target)
      const found = await rowsOf(ctx, target, values.filter)
      mustBeShown(found.source.resource, values.patch ?? {})
      const ids = sent && [...new Set(sent)]
      const rows = await chooseRows(ctx, found, { ids, most: rowsMax + 1 })
      const plan = { target, source: found.source, change: values }
      const missing = values.filter ? [] : lacking(ids ?? [], rows)
      return start(ctx, job, { plan, rows, values, missing })
    },
  })

type NewValues = Pick<New<BulkChangeFields>, 'list' | 'filter' | 'patch' | 'adjust' | 'undo_of'>

function mustChangeSomething({ patch, adjust }: Pick<NewValues, 'patch' | 'adjust'>): void {
  if (JSON.stringify(patch ?? {}).length > patchCharsMax) {
    const detail = `data.patch must have at most ${patchCharsMax} characters of JSON.`
    throw new Problem('invalid_field', detail, { source: 'data.patch' })
  }
  if (Object.keys(patch ?? {}).length || adjust?.length) return
  const detail = 'data.patch or data.adjust is required: it says what changes in each object.'
  throw new Problem('unprocessable', detail, { source: 'data.patch' })
}

function lacking(ids: readonly string[], rows: readonly PartRow[]): readonly RefusedObject[] {
  const found = new Set(rows.map(({ id }) => id))
  return ids
    .filter((id) => !found.has(id))
    .map((id) => toRefusal(id, new Problem('not_found', 'The list has no object with this id.')))
}

interface NewBulkChange {
  readonly plan: ChangePlan
  readonly rows: readonly PartRow[]
  readonly values: NewValues
  readonly missing?: readonly RefusedObject[]
}

/** Stores a bulk change with its objects and queues it; in a rehearsal, tries some of them. */
export async function start(
  ctx: Ctx,
  job: BulkChangeJob,
  { plan, rows, values, missing = [] }: NewBulkChange,
): Promise<Answer> {
  if (rows.length > rowsMax) {
    const detail = `More than ${rowsMax} objects match: narrow the filter, and send several bulk changes.`
    throw new Problem('unprocessable', detail, { source: 'data.filter' })
  }
  await mustHaveRoom(ctx)
  const { shopper: _, ...who } = ctx.who
  const counts = { chosen: rows.length + missing.length, changed: 0, unchanged: 0, refused: missing.length }
  const row = await startDocumented(
    ctx,
    job,
    { values: { ...values, status: 'pending', counts } as New<BulkChangeFields> },
    (bulkChangeId) => ({ bulkChangeId, who }),
  )
  if (ctx.isRehearsal) {
    const tried = await preview(ctx, plan, rows)
    return objectAnswer(201, bulkChanges, row, ctx, `,"sample":${JSON.stringify(tried)}`)
  }
  await storeParts(ctx.store, row.id, rows)
  await storeRefusals(ctx, row.id, missing, 0)
  return objectAnswer(201, bulkChanges, row, ctx)
}

async function mustHaveRoom({ store }: Ctx): Promise<void> {
  await store.advisoryLock(bulkChanges.table)
  const [row] = await store.run(
    `SELECT count(*) FROM ${bulkChanges.table} WHERE store_id = $1 AND status IN ('pending', 'started')`,
  )
  if (Number(row?.[0]) < openMax) return
  const detail = `At most ${openMax} bulk changes of a store can be open; try again when one has ended.`
  throw new Problem('rate_limited', detail, { headers: { 'retry-after': '60' } })
}

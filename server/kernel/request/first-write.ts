import type { Call } from '../declare/call.ts'
import type { OperationName, Resource } from '../declare/resource.ts'
import { findById, findId, isVisible, notFoundIn, resolveId, scopeOf } from '../query/find.ts'
import { lockKey } from '../query/unborn.ts'
import { type Answer, noContent } from '../shape/answer.ts'
import type { Fields, New } from '../shape/fields.ts'
import { nounOf, type Row } from '../shape/model.ts'
import type { Ctx, Work } from '../work/context.ts'
import { add, addBy, changeBy, remove } from '../write/by-rules.ts'
import { changedDraft } from '../write/drafts.ts'
import { mustMatchRow } from '../write/must-match.ts'
import { updateBy } from './operations.ts'

/** Writes of objects that are `unborn`: the first write of any kind creates the object. */

/**
 * The object with this key and its hidden values, created if it does not exist. No one else changes or deletes it until
 * the transaction ends: see `Store.lock`.
 */
export const findOrCreate = <F extends Fields>(
  work: Work,
  resource: Resource<F>,
  name: string,
): Promise<Row<F>> =>
  changeOrCreate(
    work,
    resource,
    name,
    async (row) => {
      if (!(await isVisible(work, resource, row))) throw notFoundIn(resource, name)
      return row
    },
    (before) => add(work, resource, [], { ...before.doc, ...before.hidden } as New<F>),
  )

/** Of two concurrent first writes, the second waits, and then changes the object that the first has created. */
async function changeOrCreate<F extends Fields, T>(
  work: Work,
  resource: Resource<F>,
  name: string,
  change: (row: Row<F>) => Promise<T> | T,
  create: (before: Row<F>) => Promise<T>,
): Promise<T> {
  for (let isLocked = false; ; ) {
    const id = await findId(work, resource, [], name)
    if (id !== undefined) {
      // If another request deleted the row since, look again.
      const [row] = await work.store.lockWhole(resource, [id])
      if (row) return change(row)
    } else if (isLocked) {
      return create(await mustBeUnborn(work, resource, name))
    } else {
      await lockKey(work, resource, name)
      isLocked = true
    }
  }
}

/** The object as it reads before its first write; a Problem (404) for a name that cannot be a key. */
const mustBeUnborn = <F extends Fields>(work: Work, resource: Resource<F>, name: string): Promise<Row<F>> =>
  findById(work, resource, '', [], name)

/** Changes the object, or creates it with these values if it does not exist. */
export const upsert = (ctx: Ctx, resource: Resource, name: string, call: Call): Promise<Answer> =>
  updateBy(ctx, resource, [], call, (read) =>
    ctx.transaction((inside) =>
      changeOrCreate(
        inside,
        resource,
        name,
        ({ id }) => changeBy(inside, resource, [], id, read, call.ifMatch),
        (before) => {
          mustMatchRow(before, call.ifMatch)
          return addBy(inside, resource, [], (own) => changedDraft(own, before, read(own)).values)
        },
      ),
    ),
  )

/** Deletes the object, if it exists. */
export const removeOrNothing = (
  ctx: Ctx,
  resource: Resource,
  name: string,
  call: Pick<Call, 'ifMatch'>,
): Promise<Answer> =>
  ctx.transaction(async (inside) => {
    const id = await findId(inside, resource, [], name)
    if (id !== undefined && (await inside.store.lock(resource, id)).size) {
      return remove(inside, resource, [], id, call)
    }
    mustMatchRow(await mustBeUnborn(inside, resource, name), call.ifMatch)
    return noContent
  })

/** As `scopeOf`, for a new object. Creates the object above it if that does not exist. */
export const scopeOfNew = (
  ctx: Ctx,
  resource: Resource,
  params: Call['params'],
): Promise<readonly string[]> =>
  scopeOf(ctx, resource, params, async (work, parent, above, name) =>
    parent.unborn ? (await findOrCreate(work, parent, name)).id : resolveId(work, parent, above, name),
  )

/** The path parameter of the object above, if a create may have to create that first. */
export function unbornAbove({ parent, scopeColumns }: Resource): string | undefined {
  const above = parent?.()
  if (!above) return undefined
  return above.unborn ? scopeColumns.at(-1) : unbornAbove(above)
}

/** For the API document. */
export function aboutUnborn(resource: Resource, name: OperationName): readonly string[] {
  const above = resource.parent?.()
  if (name === 'create' && above && unbornAbove(resource) !== undefined) {
    return [`Also creates the ${nounOf(above)} if it does not exist yet.`]
  }
  if (!resource.unborn) return []
  if (name === 'get')
    return ['If the object does not exist yet, the response has the defaults. The first write creates it.']
  if (name === 'update') return ['Creates the object if it does not exist yet.']
  if (name === 'delete') return ['Also succeeds if the object does not exist.']
  return []
}

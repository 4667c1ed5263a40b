import type { Call } from '../declare/call.ts'
import type { OperationName, Resource } from '../declare/resource.ts'
import { findById, isVisible, notFoundIn, resolveId, scopeOf } from '../query/find.ts'
import type { Fields } from '../shape/fields.ts'
import { nounOf, type Row } from '../shape/model.ts'
import type { Ctx, Work } from '../work/context.ts'
import { addClaimed } from '../write/by-rules.ts'
import { lockOrClaim } from '../write/claim-key.ts'
import { firstValues } from '../write/drafts.ts'

/** Writes of objects that are `unborn`: the first write of any kind creates the object. */

/**
 * The object with this key and its hidden values, created if it does not exist. No one else changes or deletes it until
 * the transaction ends: see `Store.lock`.
 */
export async function findOrCreate<F extends Fields>(
  work: Work,
  resource: Resource<F>,
  name: string,
): Promise<Row<F>> {
  const row = await lockOrClaim(work, resource, name)
  if (!row) {
    const unborn = await findById(work, resource, '', [], name)
    return addClaimed(work, resource, (own) => firstValues(own, unborn, {}))
  }
  if (!(await isVisible(work, resource, row))) throw notFoundIn(resource, name)
  return row
}

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

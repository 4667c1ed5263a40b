import type { Call } from '../declare/call.ts'
import type { Resource } from '../declare/resource.ts'
import { isId } from '../ids.ts'
import { findById, notFoundIn } from '../query/find.ts'
import { updateBy } from '../request/operations.ts'
import { type Answer, noContent } from '../shape/answer.ts'
import type { Ctx } from '../work/context.ts'
import { removeRow } from '../write/by-rules.ts'
import { mustMatchRow } from '../write/must-match.ts'
import { changeThing, lockThing } from './change-thing.ts'

/** A plain update is a deed: it locks the thing before the rules of its resource run, and may be its first one. */
export async function updateThing(ctx: Ctx, of: Resource, name: string, call: Call): Promise<Answer> {
  if (!of.key && !isId(name)) throw notFoundIn(of, name)
  return updateBy(ctx, of, [], call, (values) =>
    ctx.transaction(async (inside) => {
      const { after } = await changeThing(inside, of, name, (before) => {
        mustMatchRow(before, call.ifMatch)
        return { values }
      })
      return after
    }),
  )
}

/** Deletes a thing, if it exists. */
export const removeThing = (
  ctx: Ctx,
  of: Resource,
  name: string,
  { ifMatch }: Pick<Call, 'ifMatch'>,
): Promise<Answer> =>
  ctx.transaction(async (inside) => {
    const row = await lockThing(inside, of, name)
    mustMatchRow(row ?? (await findById(inside, of, '', [], name)), ifMatch)
    if (row) await removeRow(inside, of, row)
    return noContent
  })

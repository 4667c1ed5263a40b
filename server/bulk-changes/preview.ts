import type { Readable } from 'node:stream'
import { text as textOf } from 'node:stream/consumers'
import { Problem } from '../kernel/errors.ts'
import type { Answer } from '../kernel/shape/answer.ts'
import { about, optional, type ShownValue, shown } from '../kernel/shape/shown.ts'
import type { Ctx } from '../kernel/work/context.ts'
import { type ChangePlan, callOf, changeRow, toRefusal, valuesBefore } from './change-row.ts'
import type { PartRow } from './parts.ts'

/** How many objects a dry run tries, how long it goes on, and how many it shows. */
const triedMax = 100
const triesForMs = 2000
const shownMax = 10

export const sample = optional(
  about(
    `Of a dry run only: what happens to the first ${triedMax} objects, or to as many as ${triesForMs / 1000} seconds allow.`,
    shown.group({
      tried: about('How many objects were tried.', shown.integer),
      changed: about('How many of these would change.', shown.integer),
      refused: about('How many of these would be refused.', shown.integer),
      changes: about(
        `The first ${shownMax} that would change, as they are and as they would be.`,
        shown.list(shown.group({ id: shown.uuid, before: shown.object, after: shown.object })),
      ),
      refusals: about(
        `The first ${shownMax} that would be refused.`,
        shown.list(shown.group({ object_id: shown.uuid, code: shown.text, detail: shown.text })),
      ),
    }),
  ),
)

/** Tries some objects, each in a rehearsal of its own. `ctx` is itself a rehearsal. */
export async function preview(
  ctx: Ctx,
  plan: ChangePlan,
  rows: readonly PartRow[],
): Promise<ShownValue<typeof sample>> {
  const { get } = plan.target
  const before = await valuesBefore(ctx, plan.source.resource, rows.slice(0, triedMax))
  const [changes, refusals]: [
    { id: string; before: object; after: object }[],
    ReturnType<typeof toRefusal>[],
  ] = [[], []]
  let [tried, changed] = [0, 0]
  const beganMs = performance.now()
  for (const row of rows.slice(0, triedMax)) {
    if (performance.now() - beganMs > triesForMs) break
    tried++
    try {
      const [was, is] = await ctx.rehearse(async (inside) => {
        const show = async () => dataOf(await get.run(inside, callOf(plan.target, get, { id: row.id })))
        const was = await show()
        await changeRow(inside, plan, row, before)
        return [was, await show()] as const
      })
      if (JSON.stringify(was) === JSON.stringify(is)) continue
      changed++
      if (changes.length < shownMax) changes.push({ id: row.id, before: was, after: is })
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      refusals.push(toRefusal(row.id, error))
    }
  }
  return {
    ...{ tried, changed, refused: refusals.length, changes },
    refusals: refusals
      .slice(0, shownMax)
      .map(({ object_id = '', code, detail }) => ({ object_id, code, detail })),
  }
}

async function dataOf({ body }: Answer): Promise<object> {
  const text = typeof body === 'string' ? body : await textOf(body as Readable)
  return (JSON.parse(text) as { readonly data: object }).data
}

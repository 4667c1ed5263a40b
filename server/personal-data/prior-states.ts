import { findBefore } from '../kernel/feed/changes.ts'
import type { Ctx } from '../kernel/work/context.ts'
import type { Values } from '../telling/index.ts'
import type { Register } from './register.ts'
import type { Place } from './resource-path.ts'

/** The object before a change, and the scope of its parent. */
export interface PriorState extends Pick<Place, 'parent_scope'> {
  readonly before: Values | null
}

interface Change extends Pick<Place, 'source' | 'scope'> {
  readonly n: number
}

/** Finds the state before each of these changes of one object. */
export async function findPriorStates<C extends Change>(
  ctx: Ctx,
  register: Register,
  object: { readonly type: string; readonly id: string },
  changes: readonly C[],
): Promise<ReadonlyMap<C, PriorState>> {
  if (!changes.length) return new Map()
  const parents = register.holdersOf(object.type).flatMap(({ resource }) => resource.parent?.().table ?? [])
  const rows = await ctx.store.run(
    `SELECT (SELECT p.scope FROM changes p
       WHERE p.store_id = $1 AND p.source = ANY($2::text[]) AND p.id = c.scope AND p.personal LIMIT 1)
     FROM unnest($3::uuid[]) WITH ORDINALITY AS c (scope, place) ORDER BY c.place`,
    parents,
    changes.map(({ scope }) => scope),
  )
  const positions = changes.map(({ n, source, scope }) => ({
    position: n,
    source,
    id: object.id,
    scope: scope ?? undefined,
  }))
  const before = await findBefore(ctx.store, positions)
  return new Map(
    changes.map((change, i) => {
      const doc = before.get(positions[i] as (typeof positions)[number])
      return [
        change,
        { before: doc ? (JSON.parse(doc) as Values) : null, parent_scope: rows[i]?.[0] ?? null },
      ]
    }),
  )
}

import type { Ctx } from '../kernel/work/context.ts'
import type { Values } from './list-personal-data-logs.ts'
import type { Register } from './register.ts'
import type { Place } from './resource-path.ts'

/** The object before a change, and the scope of its parent. */
export interface PriorState extends Pick<Place, 'parent_scope'> {
  readonly before: Values | null
}

interface Change extends Pick<Place, 'source' | 'scope'> {
  readonly n: number
}

/**
 * Finds the state before each of these changes of one object. It is a separate statement: the statement of the list
 * would find it also for the changes that the page skips.
 */
export async function findPriorStates<C extends Change>(
  ctx: Ctx,
  register: Register,
  object: { readonly type: string; readonly id: string },
  changes: readonly C[],
): Promise<ReadonlyMap<C, PriorState>> {
  if (!changes.length) return new Map()
  const parents = register.holdersOf(object.type).flatMap(({ resource }) => resource.parent?.().table ?? [])
  const rows = await ctx.store.run(
    `SELECT json_build_object(
       'before', (
         SELECT b.doc FROM changes b
         WHERE b.store_id = $1 AND b.source = c.source AND b.id = $2 AND b.position < c.position AND b.personal
         ORDER BY b.position DESC LIMIT 1),
       'parent_scope', (
         SELECT p.scope FROM changes p
         WHERE p.store_id = $1 AND p.source = ANY($3::text[]) AND p.id = c.scope AND p.personal LIMIT 1))
     FROM unnest($4::bigint[], $5::text[], $6::uuid[]) WITH ORDINALITY AS c (position, source, scope, place)
     ORDER BY c.place`,
    object.id,
    parents,
    changes.map(({ n }) => n),
    changes.map(({ source }) => source),
    changes.map(({ scope }) => scope),
  )
  return new Map(rows.map(([past], i) => [changes[i] as C, JSON.parse(past as string) as PriorState]))
}

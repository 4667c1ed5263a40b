import type { Ctx } from '../kernel/context.ts'
import type { Values } from './list-personal-data-logs.ts'

/** What was there before a change: the object as it was, and where what it belongs to was found. */
export interface Past {
  readonly before: Values | null
  readonly parent: { readonly type: string; readonly parent_id: string | null } | null
}

interface Changed {
  readonly seq: number
  readonly parent_id: string | null
}

/**
 * What was before each of these changes of one object. Asked for the changes of one page only: in the
 * view it could be gathered for all that are passed over, too.
 */
export async function pastsOf<C extends Changed>(
  ctx: Ctx,
  object: { readonly type: string; readonly id: string },
  changes: readonly C[],
): Promise<ReadonlyMap<C, Past>> {
  if (!changes.length) return new Map()
  const rows = await ctx.store.rows(
    `SELECT json_build_object(
       -- Writers of one object take turns: its changes are in the order of seq, whatever their transactions are.
       'before', (
         SELECT b.doc FROM changes b
         WHERE b.store_id = $1 AND b.type = $2 AND b.id = $3 AND b.seq < c.seq AND holds_personal_data(b.type)
         ORDER BY b.seq DESC LIMIT 1),
       'parent', (
         SELECT json_build_object('type', p.type, 'parent_id', p.scope) FROM changes p
         WHERE p.store_id = $1 AND p.id = c.parent_id AND holds_personal_data(p.type)
           AND p.type IN ('customer', 'account', 'user_authentication_info')
         LIMIT 1))
     FROM unnest($4::bigint[], $5::uuid[]) WITH ORDINALITY AS c (seq, parent_id, place) ORDER BY c.place`,
    object.type,
    object.id,
    changes.map(({ seq }) => seq),
    changes.map(({ parent_id }) => parent_id),
  )
  return new Map(rows.map(([past], i) => [changes[i] as C, JSON.parse(past as string) as Past]))
}

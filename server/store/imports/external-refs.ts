import { Problem } from '../../kernel/errors.ts'
import type { Work } from '../../kernel/work/context.ts'

/** Returns the id of the only object with an `external_ref`; undefined if there is none. */
export type IdOfRef = (ref: string) => string | undefined

/** Finds the ids of objects by their `external_ref`. Several objects may share one. */
export async function findIdsByRef(
  { store }: Work,
  { table, nouns }: { readonly table: string; readonly nouns: string },
  refs: readonly string[],
): Promise<IdOfRef> {
  const each = [...new Set(refs)]
  if (!each.length) return () => undefined
  const rows = await store.run(
    `SELECT external_ref, min(id::text), count(*) FROM ${table}
     WHERE store_id = $1 AND left(external_ref, 128) = ANY($2::text[]) AND external_ref = ANY($3::text[])
     GROUP BY external_ref`,
    each.map((ref) => [...ref].slice(0, 128).join('')),
    each,
  )
  const matches = new Map(rows.map(([ref, id, count]) => [ref, { id: id as string, count: Number(count) }]))
  return (ref) => {
    const { id, count = 0 } = matches.get(ref) ?? {}
    if (count <= 1) return id
    const detail = `${count} ${nouns} have the external_ref ${ref}. Use the id instead.`
    throw new Problem('unprocessable', detail, { source: 'data.attributes.external_ref' })
  }
}

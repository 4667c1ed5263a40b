import type { Link } from '../../kernel/declare/relationship.ts'
import { findAll } from '../../kernel/query/find.ts'
import type { Work } from '../../kernel/work/context.ts'
import type { BuildVariation } from './build-plan.ts'
import type { Modifier } from './child-values.ts'
import { modifiers } from './modifiers.ts'
import { variations } from './variations.ts'

/** The variations that a product is linked to, in the order of the links, with their options and modifiers. */
export async function findLinked(work: Work, links: readonly Link[]): Promise<readonly BuildVariation[]> {
  const ids = links.map(({ id }) => id)
  const rowById = new Map((await findAll(work, variations, ids)).map((row) => [row.id, row]))
  const changes = await modifiersByOption(work, ids)
  return ids.flatMap((id) => {
    const row = rowById.get(id)
    if (!row) return []
    const { name, sort_order } = row.doc
    const options = (row.hidden.options ?? []).map(({ id, name, description, sort_order }) => ({
      id,
      name,
      ...(description != null && { description }),
      ...(sort_order != null && { sort_order }),
      modifiers: changes.get(id) ?? [],
    }))
    return [{ id, name, ...(sort_order != null && { sort_order }), options }]
  })
}

async function modifiersByOption(
  { store }: Work,
  variationIds: readonly string[],
): Promise<ReadonlyMap<string, readonly Modifier[]>> {
  const rows = await store.run(
    `SELECT option_id, doc->'attributes' FROM ${modifiers.table}
     WHERE store_id = $1 AND variation_id = ANY($2::uuid[]) ORDER BY created_at, id`,
    variationIds,
  )
  const read = rows.map(
    ([option, text]) => [option as string, JSON.parse(text as string) as Modifier] as const,
  )
  const byOption = Map.groupBy(read, ([option]) => option)
  return new Map([...byOption].map(([option, entries]) => [option, entries.map(([, modifier]) => modifier)]))
}

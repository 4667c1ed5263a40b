import { type Link, relationship } from '../../kernel/declare/relationship.ts'
import { findAll } from '../../kernel/query/find.ts'
import type { Work } from '../../kernel/work/context.ts'
import { change } from '../../kernel/write/by-rules.ts'
import { products } from '../products/products.ts'
import { type BuildVariation, shownVariations } from './build-plan.ts'
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

/** The variations of a product. SKUs, slugs and the matrix of its children use the order of the links. */
export const variationsOfProduct = relationship({
  name: 'product-variations',
  about: 'The variations of a product, in the order that the names and the matrix of its children use.',
  path: '/pcm/products/:product_id/relationships/variations',
  owner: () => products,
  target: () => variations,
  holds: 'many',
  storage: { member: 'variations' },
  inCreate: true,
  most: { n: 100, detail: (n) => `A product can have at most ${n} variations.` },
  area: 'products',
  operations: { list: 200, add: 204, replace: 204, remove: 204 },
  afterEdit: showVariations,
})

/** Stores the variations in the product, even before its children are built. Without variations, it has no children. */
async function showVariations(work: Work, productId: string, links: readonly Link[]): Promise<void> {
  if (links.length) {
    const linked = await findLinked(work, links)
    await change(work, products, [], productId, { variations: shownVariations(linked) })
    return
  }
  await work.store.removeAll(products, (bind) => `r.parent_id = ${bind(productId)}::uuid`)
  await change(work, products, [], productId, { variations: undefined, variation_matrix: undefined })
}

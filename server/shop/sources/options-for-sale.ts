import type { Components } from '../../assortment/index.ts'
import type { Work } from '../../kernel/work/context.ts'
import { isFillable } from './bundle-options.ts'

/**
 * Finds the options of bundles that are for sale: live products, except parents without a live child and bundles with
 * a component that cannot be filled.
 */
export async function optionsForSale(
  { store }: Pick<Work, 'store'>,
  bundles: readonly Components[],
): Promise<ReadonlySet<string>> {
  const options = await sellable(store, optionIds(bundles))
  const nested = [...options.values()].flatMap((components) => (components ? [components] : []))
  // A bundle within a bundle contains no bundles.
  const inside = await sellable(store, optionIds(nested))
  const isForSale = (id: string) => inside.has(id)
  const sold = [...options].filter(
    ([, components]) => !components || Object.values(components).every((one) => isFillable(one, isForSale)),
  )
  return new Set(sold.map(([id]) => id))
}

const optionIds = (bundles: readonly Components[]): readonly string[] => [
  ...new Set(
    bundles.flatMap((components) =>
      Object.values(components).flatMap(({ options }) => options.map(({ id }) => id)),
    ),
  ),
]

/** The live products, with the components of bundles: whether a bundle can be bought depends on its options too. */
async function sellable(
  store: Work['store'],
  ids: readonly string[],
): Promise<ReadonlyMap<string, Components | undefined>> {
  if (!ids.length) return new Map()
  const rows = await store.run(
    `SELECT p.id, CASE WHEN p.product_type = 'bundle' THEN p.doc->'attributes'->'components' END FROM products p
     WHERE p.store_id = $1 AND p.id = ANY($2::uuid[]) AND p.status = 'live' AND (p.product_type <> 'parent' OR EXISTS (
       SELECT FROM products c WHERE c.store_id = $1 AND c.parent_id = p.id AND c.status = 'live'))`,
    ids,
  )
  return new Map(
    rows.map(([id, components]) => [
      id as string,
      components == null ? undefined : (JSON.parse(components) as Components),
    ]),
  )
}

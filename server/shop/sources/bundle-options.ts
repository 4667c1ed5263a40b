import type { Components } from '../../assortment/index.ts'
import type { Work } from '../../kernel/work/context.ts'

/** Which options of a bundle are for sale, and which are selected by default. */

type BundleComponent = Components[string]

/** The facts that are published with a bundle. */
export interface BundleOptions {
  /** The default selection: how many of each option, by component. */
  readonly selected: Readonly<Record<string, Readonly<Record<string, number>>>>
  /** The components with fewer options for sale than their `min`. If there is one, the bundle cannot be bought. */
  readonly unfilled: readonly string[]
  /** The ids of the options that cannot be bought. */
  readonly notForSale: readonly string[]
}

/** `isForSale` takes the id of an option. */
export function bundleOptions(
  components: Components,
  isForSale: (id: string) => boolean = () => true,
): BundleOptions {
  const all = Object.entries(components)
  const ids = all.flatMap(([, { options }]) => options.map(({ id }) => id))
  return {
    // Clients expect an entry for every component, even if nothing is selected.
    selected: Object.fromEntries(all.map(([key, component]) => [key, selectedOf(component, isForSale)])),
    unfilled: all.flatMap(([key, component]) => (isFillable(component, isForSale) ? [] : [key])),
    notForSale: [...new Set(ids.filter((id) => !isForSale(id)))],
  }
}

const isFillable = ({ options, min }: BundleComponent, isForSale: (id: string) => boolean): boolean =>
  options.filter(({ id }) => isForSale(id)).length >= (min ?? 0)

/**
 * Selects the default options that are for sale. Other options replace those that are not, as far as `min` needs
 * them. Without defaults, the first options are selected, up to `min`.
 */
function selectedOf(
  { options, min }: BundleComponent,
  isForSale: (id: string) => boolean,
): Record<string, number> {
  const least = min ?? 0
  const defaults = options.filter((option) => option.default).length
  const needed = defaults ? Math.min(defaults, least) : least
  const sold = options.filter(({ id }) => isForSale(id))
  const first = sold.filter((option) => option.default)
  const others = sold.filter((option) => !option.default)
  const selected = [...first, ...others].slice(0, Math.max(first.length, needed))
  return Object.fromEntries(selected.map(({ id, quantity }) => [id, quantity]))
}

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

import type { Components } from '../../assortment/index.ts'

/** Which options of a bundle are for sale, and which are selected by default. It does no I/O. */

type Component = Components[string]

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

export const isFillable = ({ options, min }: Component, isForSale: (id: string) => boolean): boolean =>
  options.filter(({ id }) => isForSale(id)).length >= (min ?? 0)

/**
 * Selects the default options that are for sale. Other options replace those that are not, as far as `min` needs
 * them. Without defaults, the first options are selected, up to `min`.
 */
function selectedOf({ options, min }: Component, isForSale: (id: string) => boolean): Record<string, number> {
  const least = min ?? 0
  const defaults = options.filter((option) => option.default).length
  const needed = defaults ? Math.min(defaults, least) : least
  const sold = options.filter(({ id }) => isForSale(id))
  const first = sold.filter((option) => option.default)
  const others = sold.filter((option) => !option.default)
  const selected = [...first, ...others].slice(0, Math.max(first.length, needed))
  return Object.fromEntries(selected.map(({ id, quantity }) => [id, quantity]))
}

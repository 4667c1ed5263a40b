import type { Portion } from '../../assortment/index.ts'
import type { CartLine } from '../contents/contents.ts'
import { isProduct } from './cart-shop.ts'

/**
 * The stock that lines take, once for each product and location. A bundle with stock of its own takes that;
 * any other takes the stock of its options. `isTracked` says whether a product has stock.
 */
export function stockPortionsOf(
  lines: readonly CartLine[],
  isTracked: (productId: string) => boolean,
): readonly Portion[] {
  const all = lines.filter(isProduct).flatMap((line): readonly Portion[] => {
    const { productId, quantity, location, components } = line
    const place = location === undefined ? {} : { location }
    if (isTracked(productId)) return [{ productId, quantity, ...place }]
    const options = Object.values(components ?? {}).flatMap((component) => component.options)
    return options
      .filter(({ id }) => isTracked(id))
      .map(({ id, quantity: pieces }) => ({ productId: id, quantity: pieces * quantity, ...place }))
  })
  const groups = Map.groupBy(all, ({ productId, location = '' }) => `${productId} ${location}`)
  return [...groups.values()].flatMap((same) => {
    const [first] = same
    return first ? [{ ...first, quantity: same.reduce((total, { quantity }) => total + quantity, 0) }] : []
  })
}

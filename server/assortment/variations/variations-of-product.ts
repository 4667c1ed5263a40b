import { type Link, relationship } from '../../kernel/declare/relationship.ts'
import type { Work } from '../../kernel/work/context.ts'
import { change } from '../../kernel/write/by-rules.ts'
import { products } from '../products/products.ts'
import { shownVariations } from './build-plan.ts'
import { findLinked } from './linked-variations.ts'
import { variations } from './variations.ts'

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

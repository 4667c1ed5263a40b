import { relationship } from '../kernel/declare/relationship.ts'
import { products } from './products.ts'

/** What a bundle consists of: its components say so. */
export const componentProducts = relationship({
  name: 'component-products',
  about: 'What a bundle consists of: its components say so.',
  path: '/pcm/products/:product_id/relationships/component_products',
  owner: () => products,
  target: () => products,
  holds: 'many',
  kept: { table: 'product_components', ownerColumn: 'bundle_id' },
  most: { n: 1500, detail: (n) => `A bundle has at most ${n} options.` },
  area: 'products',
  operations: { list: 200 },
})

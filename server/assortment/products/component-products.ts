import { relationship } from '../../kernel/declare/relationship.ts'
import { products } from './products.ts'

/** The products of a bundle, which follow from its components. */
export const componentProducts = relationship({
  name: 'component-products',
  about: 'The products of a bundle, which follow from its components.',
  path: '/pcm/products/:product_id/relationships/component_products',
  owner: () => products,
  target: () => products,
  holds: 'many',
  storage: { table: 'product_components', ownerColumn: 'bundle_id' },
  most: { n: 1500, detail: (n) => `A bundle has at most ${n} options.` },
  area: 'products',
  operations: { list: 200 },
})

import { flowResource } from '../../fields/index.ts'
import { relationship } from '../../kernel/declare/relationship.ts'
import { products } from './products.ts'

export const templatesMax = 500

/** The templates of a product: flows that add fields to it. */
export const productTemplates = relationship({
  name: 'product-templates',
  about: 'The templates of a product: flows that add fields to it.',
  path: '/pcm/products/:product_id/relationships/templates',
  owner: () => products,
  target: () => flowResource,
  type: 'template',
  holds: 'many',
  storage: { table: 'product_templates', ownerColumn: 'product_id' },
  inCreate: true,
  most: { n: templatesMax, detail: (n) => `A product may have at most ${n} templates.` },
  area: 'products',
  operations: { list: 200, add: 201, remove: 204 },
})

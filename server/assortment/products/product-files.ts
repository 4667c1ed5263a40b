import { action } from '../../kernel/declare/action.ts'
import { relationship } from '../../kernel/declare/relationship.ts'
import { findByName } from '../../kernel/query/find.ts'
import { json } from '../../kernel/shape/answer.ts'
import { list, text } from '../../kernel/shape/fields.ts'
import { linkTo, shown } from '../../kernel/shape/shown.ts'
import { files } from '../../store/index.ts'
import { products } from './products.ts'

const mainImagePath = '/pcm/products/:product_id/relationships/main_image'
const links = { owner: () => products, target: () => files, area: 'products' } as const

export const productFiles = relationship({
  ...links,
  name: 'product-files',
  about: 'The images, videos and documents of a product.',
  path: '/pcm/products/:product_id/relationships/files',
  holds: 'many',
  storage: { table: 'product_files', ownerColumn: 'product_id' },
  inCreate: true,
  most: { n: 500, detail: (n) => `A product may have at most ${n} files.` },
  meta: { tags: list(text({ max: 255 }), { maxItems: 20, about: 'The purpose of the file.' }) },
  operations: { list: 200, add: 204, replace: 204, remove: 204 },
})

export const mainImage = relationship({
  ...links,
  name: 'main-image',
  about: 'The main image of a product.',
  path: mainImagePath,
  holds: 'one',
  storage: { member: 'main_image' },
  inCreate: true,
  most: { n: 1, detail: () => 'A product may have only one main image.' },
  operations: { add: 204, replace: 204, remove: 204 },
})

/** Reads the main image of a product, as a list of one or none, as in the public contract. */
export const listMainImage = action({
  name: 'list-main-image-of-product',
  route: `GET ${mainImagePath}`,
  about: 'Reads the main image of a product, as a list of one or none.',
  area: 'products',
  status: 200,
  shows: { data: shown.list(linkTo('file')) },
  async run(ctx, { params }) {
    const { hidden } = await findByName(ctx, products, params.product_id)
    return json(200, { data: [hidden.relationships?.main_image?.data ?? []].flat() })
  },
})

import type { Inclusion } from '../../kernel/declare/resource.ts'
import { findListed } from '../../kernel/query/find.ts'
import { files } from '../../store/index.ts'
import type { ProductFields } from '../product-fields/product-fields.ts'
import { products } from './products.ts'

/** The objects that `include` shows with products. */
export const productIncludes: Readonly<Record<string, Inclusion<ProductFields>>> = {
  main_image: {
    target: () => files,
    under: 'main_images',
    find: (ctx, rows) => {
      const ids = rows.flatMap(({ hidden }) => hidden.relationships?.main_image?.data.id ?? [])
      return findListed(ctx, files, ids)
    },
  },
  files: {
    target: () => files,
    under: 'files',
    find: async (ctx, rows) => {
      const linked = await ctx.store.run(
        `SELECT id FROM product_files WHERE store_id = $1 AND product_id = ANY($2::uuid[])
         ORDER BY product_id, created_at, id`,
        rows.map(({ id }) => id),
      )
      const ids = linked.map(([id]) => id as string)
      return findListed(ctx, files, ids)
    },
  },
  component_products: {
    target: () => products,
    under: 'component_products',
    find: async (ctx, rows) => {
      const linked = await ctx.store.run(
        'SELECT id FROM product_components WHERE store_id = $1 AND bundle_id = ANY($2::uuid[]) ORDER BY bundle_id, id',
        rows.map(({ id }) => id),
      )
      const ids = linked.map(([id]) => id as string)
      return findListed(ctx, products, ids)
    },
  },
}

import { files } from '../files/index.ts'
import type { Resource } from '../kernel/declare/resource.ts'
import { findAll } from '../kernel/query/find.ts'
import type { Row } from '../kernel/shape/model.ts'
import type { Ctx } from '../kernel/work/context.ts'
import type { ProductFields } from './product-fields.ts'
import { products } from './products.ts'

type Products = readonly Row<ProductFields>[]

/** The resources that `include` shows with products. */
export const productIncludes = {
  main_image: async (ctx: Ctx, rows: Products) => {
    const ids = rows.flatMap(({ hidden }) => hidden.relationships?.main_image?.data.id ?? [])
    return ['main_images', files, await findAll(ctx, files, ids)] as const
  },
  files: async (ctx: Ctx, rows: Products) => {
    const linked = await ctx.store.run(
      `SELECT id FROM product_files WHERE store_id = $1 AND product_id = ANY($2::uuid[])
       ORDER BY product_id, created_at, id`,
      rows.map(({ id }) => id),
    )
    return [
      'files',
      files,
      await findAll(
        ctx,
        files,
        linked.map(([id]) => id as string),
      ),
    ] as const
  },
  component_products: async (ctx: Ctx, rows: Products) => {
    const linked = await ctx.store.run(
      'SELECT id FROM product_components WHERE store_id = $1 AND bundle_id = ANY($2::uuid[]) ORDER BY bundle_id, id',
      rows.map(({ id }) => id),
    )
    return [
      'component_products',
      products,
      await findAll(
        ctx,
        products,
        linked.map(([id]) => id as string),
      ),
    ] as const
  },
}

/** The included resources, by the names of their lists. */
export const includedWithProducts = (): Readonly<Record<string, Resource>> => ({
  main_images: files,
  files,
  component_products: products,
})

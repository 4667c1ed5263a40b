import { productSources } from './product-sources.ts'
import type { Publication } from './publication.ts'
import { type ProductSource, type PublishedProduct, publishedProduct } from './published-product.ts'

/** A product that is published. */
export interface Wanted {
  readonly source: ProductSource
  readonly published: PublishedProduct
}

/** Those of these products that are published in an edition. */
export async function wantedProducts(
  { work, catalogId, hierarchyIds, ways }: Publication,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Wanted>> {
  const sources = await productSources(work, ids, hierarchyIds, ways)
  return new Map(
    sources.flatMap((source) => {
      const published = publishedProduct(source, catalogId)
      return published ? [[source.id, { source, published }] as const] : []
    }),
  )
}

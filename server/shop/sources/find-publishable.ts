import { productSources } from './product-sources.ts'
import type { Publication } from './publication.ts'
import { type ProductSource, type PublishedProduct, publishedProduct } from './published-product.ts'

/** A product that will be published, and its source. */
export interface Publishable {
  readonly source: ProductSource
  readonly published: PublishedProduct
}

/** The products among these that shoppers can reach. */
export async function findPublishable(
  { work, catalogId, hierarchyIds, ways }: Publication,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Publishable>> {
  const sources = await productSources(work, ids, hierarchyIds, ways)
  return new Map(
    sources.flatMap((source) => {
      const published = publishedProduct(source, catalogId)
      return published ? [[source.id, { source, published }] as const] : []
    }),
  )
}

import { catalogFor, catalogs, instantAsked } from '../catalogs/index.ts'
import { sellableOf, stockOf } from '../inventories/index.ts'
import { action } from '../kernel/action.ts'
import type { Ctx } from '../kernel/context.ts'
import { Problem } from '../kernel/errors.ts'
import { reference } from '../kernel/fields.ts'
import { json } from '../kernel/http/answer.ts'
import { isId } from '../kernel/ids.ts'
import { findVisible } from '../kernel/operations.ts'
import type { Row } from '../kernel/resource.ts'
import { type ProductFields, products } from '../products/index.ts'
import { currentEdition } from '../publishing/index.ts'
import { chosenOptions, defaultSelection } from './priced-product.ts'
import { findPublishedRows, type PublishedRow } from './published-row.ts'
import { showProducts } from './show-products.ts'
import { type Asked, booksFor, viewOf } from './views.ts'
import { type Facts, verdictsOf } from './visibility-verdicts.ts'

/** Says why a shopper sees a product in a catalog, or does not. */
export const checkVisibility = action({
  name: 'check-visibility',
  route: 'GET /catalogs/:catalog_id/visibility',
  about:
    'Says why a shopper who calls with these headers (`EP-Channel`, `EP-Context-Tag`, a token of theirs) sees a product in ' +
    'a catalog and may buy it, or does not: one verdict for each thing that it hangs on.',
  area: 'visibility',
  status: 200,
  query: { product: reference('product', { required: true, about: 'The product.' }) },
  async run(ctx, { params, headers, query }) {
    mustBeMerchant(ctx)
    const { id: catalogId } = await findVisible(ctx, catalogs, params.catalog_id)
    const asked = new URLSearchParams(query).get('product') ?? ''
    if (!isId(asked)) throw new Problem('bad_request', 'Name the product by its id.', { source: 'product' })
    const product = await findVisible(ctx, products, asked)
    const facts = await factsOf(ctx, catalogId, product, { headers, query })
    return json(200, { data: { type: 'product-visibility', id: product.id, ...verdictsOf(facts) } })
  },
})

/** With a shopper's token beside theirs, merchants see what that shopper sees. */
function mustBeMerchant({ who }: Ctx): void {
  if (who.grant === 'client_credentials') return
  throw new Problem('forbidden', 'This is for access tokens of the grant client_credentials.')
}

async function factsOf(
  ctx: Ctx,
  catalogId: string,
  product: Row<ProductFields>,
  asked: Asked,
): Promise<Facts> {
  const chosen = await catalogFor(ctx, asked.headers).catch((error: unknown) => {
    if (error instanceof Problem && error.status === 404) return undefined
    throw error
  })
  const edition = await currentEdition(ctx, catalogId, instantAsked(ctx, asked.headers))
  const own = await ctx.store.find(catalogs, catalogId)
  const hierarchyIds = edition?.madeOf.hierarchyIds ?? own?.doc.hierarchy_ids ?? []
  const common = {
    chosen: chosen ? (chosen.catalogId === catalogId ? 'this' : 'another') : 'none',
    status: product.doc.status === 'live' ? 'live' : 'draft',
    ...(await nodesOf(ctx, product.id, hierarchyIds)),
    updatedAt: product.updatedAt,
  } as const
  const published = edition && { ...edition, catalogId }
  const view = published && (await viewOf(ctx, published, published.releaseId))
  const row = view && (await findPublishedRows(ctx, view, [product.id])).get(product.id)
  if (!view || !row) return { ...common, ...(view && { release: {} }), priced: false, available: undefined }
  const chosenBooks =
    chosen?.catalogId === catalogId ? booksFor(view.published, chosen.pricebookIds).books : view.books
  const at = chosen?.shopper.at ?? view.at
  const [shown] = await showProducts(ctx, { ...view, books: chosenBooks, at }, [row])
  const { attributes } = row.doc
  return {
    ...common,
    release: { product: { listed: row.facts.listed, updatedAt: String(attributes.updated_at) } },
    priced: shown?.attributes.price !== undefined,
    available: await availableOf(ctx, row),
  }
}

/** How many nodes it is in, itself or with a parent that is live; and how many of these are in the hierarchies. */
async function nodesOf({ store }: Ctx, id: string, hierarchyIds: readonly string[]) {
  const [row] = await store.rows(
    `SELECT count(DISTINCT l.node_id),
       count(DISTINCT l.node_id) FILTER (WHERE n.hierarchy_id = ANY($3::uuid[]))
     FROM node_products l JOIN nodes n ON n.store_id = l.store_id AND n.id = l.node_id
     WHERE l.store_id = $1 AND l.id IN (
       SELECT $2::uuid UNION ALL
       SELECT p.id FROM products c JOIN products p ON p.store_id = $1 AND p.id = c.parent_id AND p.status = 'live'
       WHERE c.store_id = $1 AND c.id = $2::uuid)`,
    id,
    hierarchyIds,
  )
  return { nodes: Number(row?.[0]), nodesOfCatalog: Number(row?.[1]) }
}

/** Of a bundle as it is chosen by default. */
async function availableOf(ctx: Ctx, row: PublishedRow): Promise<number | undefined> {
  const options = chosenOptions(defaultSelection(row))
  const stocks = await stockOf(ctx, [row.id, ...options.map(({ id }) => id)])
  const counted = new Map([...stocks].map(([id, { available }]) => [id, { available: Number(available) }]))
  return options.length
    ? sellableOf({ id: row.id, sku: row.doc.attributes.sku, options }, counted)
    : counted.get(row.id)?.available
}

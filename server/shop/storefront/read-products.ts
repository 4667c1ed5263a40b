import type { Resource } from '../../kernel/declare/resource.ts'
import { Problem } from '../../kernel/errors.ts'
import { parse } from '../../kernel/query/parse.ts'
import { type Answer, entityTag } from '../../kernel/shape/answer.ts'
import { choice, describe, group, reference } from '../../kernel/shape/fields.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { publishedRowOf } from '../shown/published-row.ts'
import { type Particulars, showProducts } from '../shown/show-products.ts'
import { componentProducts } from '../sources/published-product.ts'
import type { View } from '../view/view.ts'
import { explanationOf } from './explanation.ts'
import type { PublishedRead, ReadCall } from './families.ts'
import { findHierarchy, findNode, findProduct } from './find-published.ts'
import { includedParts, includedText } from './included.ts'
import { answerOf, linesOf, type PublishedList, pageOf, productPage, publishedPortions } from './list-page.ts'
import {
  leadingBy,
  productsOfCatalog,
  productsOfNode,
  productsOfParent,
  productsOfRelationship,
  publishedProducts,
} from './published-products.ts'

type ProductParams = ReadCall['params']

interface ProductList extends Pick<PublishedRead, 'name' | 'route' | 'about' | 'refuses'> {
  /** Declares the list. */
  readonly rows: Resource
  /** Finds the part of the catalog that the list has, if it has not all of it. */
  find?(ctx: Ctx, view: View, params: ProductParams): Promise<Omit<PublishedList, 'resource'> & Particulars>
}

const list = ({ rows, find, ...read }: ProductList): PublishedRead => ({
  ...read,
  shows: { resource: publishedProducts, page: true, rows: [rows] },
  async run(ctx, view, call) {
    const { below = [], where, ...particulars } = (await find?.(ctx, view, call.params)) ?? {}
    return productPage(ctx, view, { resource: rows, below, ...(where && { where }) }, call, particulars)
  },
})

/** Shows one product. The entity tag covers the whole body, because a price changes without a write. */
export async function productAnswer(
  ctx: Ctx,
  view: View,
  row: ReturnType<typeof publishedRowOf>,
  include: readonly string[],
  particulars: Particulars = {},
): Promise<Answer> {
  const [shown] = await showProducts(ctx, view, [row], particulars)
  const links = JSON.stringify({ self: `${ctx.baseUrl}${view.prefix}/products/${row.id}` })
  const more = await includedText(ctx, view, include, [row])
  const explanation = explanationOf(view)
  const meta = explanation ? `,"meta":${JSON.stringify({ explanation })}` : ''
  const body = `{"data":${JSON.stringify(shown)},"links":${links}${meta}${more}}`
  return { status: 200, body, headers: { etag: entityTag(body) } }
}

/** The products that a product is related to by the relation with this name. */
async function relatedTo(ctx: Ctx, view: View, params: ProductParams, name: string) {
  const { id, version } = await findProduct(ctx, view, params)
  return { below: [id], where: leadingBy(name, version) }
}

const productLink = describe(
  group({ type: choice(['product'], { required: true }), id: reference('product', { required: true }) }, {}),
)

/** Lists the options of a bundle as links to products. */
const listComponentProducts: PublishedRead = {
  name: 'list-*-component-products',
  route: 'GET /products/:product_id/relationships/component_products',
  about: 'Lists the ids of the products that are options of a bundle *.',
  shows: { resource: publishedProducts, page: true, data: productLink },
  async run(ctx, view, call) {
    const query = parse(call.query)
    const related = await relatedTo(ctx, view, call.params, componentProducts)
    const components = { resource: productsOfRelationship, ...related }
    const linkTo = ({ id }: { readonly id: string }) => ({ type: 'product', id })
    if (ctx.lines) {
      return linesOf(ctx, view, components, query, async (_, rows) => rows.map(linkTo), productLink)
    }
    const page = await pageOf(ctx, view, components, query)
    async function* links() {
      yield page.rows.map((row) => JSON.stringify(linkTo(row)))
    }
    const portions = () => publishedPortions(page)
    const included = includedParts(ctx, view, query.include, portions, { areComponents: true })
    return answerOf(ctx, view, page, call, links(), included)
  },
}

export const listProductsOfHierarchy = list({
  name: 'list-*-hierarchy-products',
  route: 'GET /hierarchies/:hierarchy_id/products',
  about: 'Lists the products in any node of a hierarchy *, a page at a time.',
  rows: productsOfNode,
  async find(ctx, view, params) {
    const { id } = await findHierarchy(ctx, view, params)
    return { below: [id] }
  },
})

/** A path that is not in the public contract but that an SDK calls: it is like that of the products of a node. */
export const listProductsOfHierarchyToo: PublishedRead = {
  ...listProductsOfHierarchy,
  name: 'list-*-hierarchy-products-too',
  route: 'GET /hierarchies/:hierarchy_id/relationships/products',
}

export const listProductsOfNode = list({
  name: 'list-*-node-products',
  route: 'GET /nodes/:node_id/relationships/products',
  about:
    'Lists the products of a node *, a page at a time. The curated products come first, in their order, ' +
    'with `curated_product: true`. The others follow, the most recently changed first.',
  rows: productsOfNode,
  async find(ctx, view, params) {
    const { id, doc } = await findNode(ctx, view, params)
    const { curated_products } = doc as { curated_products?: readonly string[] }
    return { below: [id], curated: new Set(curated_products) }
  },
})

export const productReads: readonly PublishedRead[] = [
  list({
    name: 'list-*-products',
    route: 'GET /products',
    about: 'Lists the products *, a page at a time, newest first.',
    rows: productsOfCatalog,
  }),
  {
    name: 'get-*-product',
    route: 'GET /products/:product_id',
    about: 'Reads a product *, at its current price.',
    shows: { resource: publishedProducts },
    async run(ctx, view, call) {
      const row = publishedRowOf(await findProduct(ctx, view, call.params))
      return productAnswer(ctx, view, row, parse(call.query).include)
    },
  },
  list({
    name: 'list-*-product-children',
    route: 'GET /products/:product_id/relationships/children',
    about:
      'Lists the children of a product *, a page at a time. The response is 422 if the product is not a parent.',
    refuses: ['unprocessable'],
    rows: productsOfParent,
    async find(ctx, view, params) {
      const { id, doc } = publishedRowOf(await findProduct(ctx, view, params))
      if (doc.attributes.base_product !== true) {
        throw new Problem('unprocessable', `The product ${id} is not a parent, so it has no children.`)
      }
      return { below: [id] }
    },
  }),
  listComponentProducts,
  list({
    name: 'list-*-related-products',
    route: 'GET /products/:product_id/relationships/:slug/products',
    about:
      "Lists the products that a product is related to by a custom relationship, *, in the merchant's order.",
    rows: productsOfRelationship,
    find: (ctx, view, params) => relatedTo(ctx, view, params, params.slug ?? ''),
  }),
]

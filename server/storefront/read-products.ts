import { action } from '../kernel/declare/action.ts'
import type { Resource } from '../kernel/declare/resource.ts'
import { Problem } from '../kernel/errors.ts'
import { parse } from '../kernel/query/parse.ts'
import { type Answer, entityTag } from '../kernel/shape/answer.ts'
import { choice, describe, group, reference } from '../kernel/shape/fields.ts'
import type { Ctx } from '../kernel/work/context.ts'
import { componentProducts } from '../publishing/index.ts'
import { explanationOf } from './explanation.ts'
import { type Family, objectsOfList } from './families.ts'
import { findHierarchy, findNode, findProduct } from './find-published.ts'
import { includedParts, includedText } from './included.ts'
import { answerOf, linesOf, pageOf, productPage, publishedPortions } from './list-page.ts'
import {
  leadingBy,
  productsOfCatalog,
  productsOfNode,
  productsOfParent,
  productsOfRelationship,
  publishedProducts,
} from './published-products.ts'
import { publishedRowOf } from './published-row.ts'
import { type Particulars, showProducts } from './show-products.ts'
import type { View } from './view.ts'

const shows = (of: Family['of'], rows: Resource) => objectsOfList(of, publishedProducts, rows)

export const listProducts = ({ of, path, phrase, area, viewOf }: Family) =>
  action({
    name: `list-${of}-products`,
    route: `GET ${path}/products`,
    about: `Lists the products ${phrase}, a page at a time, newest first.`,
    area,
    status: 200,
    shows: shows(of, productsOfCatalog),
    async run(ctx, call) {
      const view = await viewOf(ctx, call)
      return productPage(ctx, view, { resource: productsOfCatalog, scope: [view.published.catalogId] }, call)
    },
  })

export const getProduct = ({ of, path, phrase, area, viewOf }: Family) =>
  action({
    name: `get-${of}-product`,
    route: `GET ${path}/products/:product_id`,
    about: `Reads a product ${phrase}, at its current price.`,
    area,
    status: 200,
    shows: { resource: publishedProducts },
    async run(ctx, call) {
      const view = await viewOf(ctx, call)
      const row = publishedRowOf(await findProduct(ctx, view, call.params.product_id))
      return productAnswer(ctx, view, row, parse(call.query).include)
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

export const listChildrenOfProduct = ({ of, path, phrase, area, viewOf }: Family) =>
  action({
    name: `list-${of}-product-children`,
    route: `GET ${path}/products/:product_id/relationships/children`,
    about: `Lists the children of a product ${phrase}, a page at a time. The response is 422 if the product is not a parent.`,
    area,
    status: 200,
    refuses: ['unprocessable'],
    shows: shows(of, productsOfParent),
    async run(ctx, call) {
      const view = await viewOf(ctx, call)
      const { id, doc } = publishedRowOf(await findProduct(ctx, view, call.params.product_id))
      if (doc.attributes.base_product !== true) {
        throw new Problem('unprocessable', `The product ${id} is not a parent, so it has no children.`)
      }
      const scope = [view.published.catalogId, id]
      return productPage(ctx, view, { resource: productsOfParent, scope }, call)
    },
  })

export const listRelatedProducts = ({ of, path, phrase, area, viewOf }: Family) =>
  action({
    name: `list-${of}-related-products`,
    route: `GET ${path}/products/:product_id/relationships/:slug/products`,
    about: `Lists the products that a product is related to by a custom relationship, ${phrase}, in the merchant's order.`,
    area,
    status: 200,
    shows: shows(of, productsOfRelationship),
    async run(ctx, call) {
      const view = await viewOf(ctx, call)
      const { slug } = call.params
      return productPage(ctx, view, await relatedTo(ctx, view, call.params.product_id, slug), call)
    },
  })

const productLink = group(
  { type: choice(['product'], { required: true }), id: reference('product', { required: true }) },
  {},
)

/** Lists the options of a bundle as links to products. */
export const listComponentProducts = ({ of, path, phrase, area, viewOf }: Family) =>
  action({
    name: `list-${of}-component-products`,
    route: `GET ${path}/products/:product_id/relationships/component_products`,
    about: `Lists the ids of the products that are options of a bundle ${phrase}.`,
    area,
    status: 200,
    shows: { resource: publishedProducts, page: true, data: describe(productLink) },
    async run(ctx, call) {
      const view = await viewOf(ctx, call)
      const query = parse(call.query)
      const components = await relatedTo(ctx, view, call.params.product_id, componentProducts)
      const linkTo = ({ id }: { readonly id: string }) => ({ type: 'product', id })
      if (ctx.lines) {
        return linesOf(
          ctx,
          view,
          components,
          query,
          async (_, rows) => rows.map(linkTo),
          describe(productLink),
        )
      }
      const page = await pageOf(ctx, view, components, query)
      async function* links() {
        yield page.rows.map((row) => JSON.stringify(linkTo(row)))
      }
      const portions = () => publishedPortions(page)
      return answerOf(
        ctx,
        view,
        page,
        call,
        links(),
        includedParts(ctx, view, query.include, portions, { areComponents: true }),
      )
    },
  })

async function relatedTo(ctx: Ctx, view: View, productId: string, name: string) {
  const { id, version } = await findProduct(ctx, view, productId)
  const scope = [view.published.catalogId, id]
  return { resource: productsOfRelationship, scope, where: leadingBy(name, version) }
}

export const listProductsOfHierarchy = ({ of, path, phrase, area, viewOf }: Family) =>
  action({
    name: `list-${of}-hierarchy-products`,
    route: `GET ${path}/hierarchies/:hierarchy_id/products`,
    about: `Lists the products in any node of a hierarchy ${phrase}, a page at a time.`,
    area,
    status: 200,
    shows: shows(of, productsOfNode),
    async run(ctx, call) {
      const view = await viewOf(ctx, call)
      const { id } = await findHierarchy(ctx, view, call.params.hierarchy_id)
      return productPage(ctx, view, { resource: productsOfNode, scope: [view.published.catalogId, id] }, call)
    },
  })

export const listProductsOfNode = ({ of, path, phrase, area, viewOf }: Family) =>
  action({
    name: `list-${of}-node-products`,
    route: `GET ${path}/nodes/:node_id/relationships/products`,
    about:
      `Lists the products of a node ${phrase}, a page at a time. The curated products come first, in their order, ` +
      'with `curated_product: true`. The others follow, the most recently changed first.',
    area,
    status: 200,
    shows: shows(of, productsOfNode),
    async run(ctx, call) {
      const view = await viewOf(ctx, call)
      const node = await findNode(ctx, view, call.params.node_id)
      const { curated_products } = node.doc as { curated_products?: readonly string[] }
      const scope = [view.published.catalogId, node.id]
      const curated = new Set(curated_products)
      return productPage(ctx, view, { resource: productsOfNode, scope }, call, { curated })
    },
  })

import { type ProductFields, products, sellableOf, stockOf } from '../../assortment/index.ts'
import { wrongToken } from '../../kernel/auth/access.ts'
import { isSeller } from '../../kernel/auth/principal.ts'
import { action } from '../../kernel/declare/action.ts'
import { Problem } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { findByName } from '../../kernel/query/find.ts'
import { json } from '../../kernel/shape/answer.ts'
import { choice, reference } from '../../kernel/shape/fields.ts'
import type { Row } from '../../kernel/shape/model.ts'
import { about, type ShownValue, shown } from '../../kernel/shape/shown.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { pricebooks, quote } from '../../prices/index.ts'
import { type ChosenCatalog, catalogFor, type WaitingRule } from '../catalogs/catalog-for.ts'
import { catalogs } from '../catalogs/catalogs.ts'
import { requestedInstant } from '../catalogs/shopper-context.ts'
import { type CatalogEdition, currentEdition } from '../publishing/editions.ts'
import { type PublishedRow, shopItem } from '../shown/published-row.ts'
import { shopIn } from '../shown/shop.ts'
import { shopperViewOf, type ViewRequest } from '../view/views.ts'
import { shopperHeaders } from './families.ts'
import { checks, type VisibilityFacts, verdictsOf } from './visibility-verdicts.ts'

const check = shown.group({
  check: choice(Object.keys(checks), { required: true }),
  verdict: shown.text,
  passed: shown.flag,
  detail: shown.text,
})

const visibility = shown.group({
  type: shown.constant('product-visibility'),
  id: about('The product.', shown.uuid),
  visible: about('Whether the shopper sees the product in lists.', shown.flag),
  purchasable: about('Whether the shopper can buy the product.', shown.flag),
  verdict: about('The deciding verdict; `buyable` if nothing is wrong.', shown.text),
  detail: about('The deciding verdict as a sentence.', shown.text),
  checks: shown.as<readonly ShownValue<typeof check>[]>({
    type: 'array',
    description: 'One verdict for each check, in the order of the checks.',
    items: check.schema,
  }),
})

export const checkVisibility = action({
  name: 'check-visibility',
  route: 'GET /catalogs/:catalog_id/visibility',
  about:
    'Explains whether a shopper who sends these headers (`EP-Channel`, `EP-Context-Tag`, `X-Moltin-Currency`, a shopper ' +
    'token) sees a product in a catalog and can buy it: the deciding verdict, and one verdict for each check.',
  area: 'visibility',
  status: 200,
  shows: { data: visibility },
  headers: shopperHeaders,
  query: { product: reference('product', { required: true, about: 'The product.' }) },
  async run(ctx, { params, headers, query }) {
    mustBeMerchant(ctx)
    const { id: catalogId } = await findByName(ctx, catalogs, params.catalog_id)
    const productId = new URLSearchParams(query).get('product') ?? ''
    if (!isId(productId)) {
      const detail = `The parameter product must be the id of a product (a UUID), not ${JSON.stringify(productId)}.`
      throw new Problem('bad_request', detail, { source: 'product' })
    }
    const product = await findByName(ctx, products, productId)
    const facts = await factsOf(ctx, catalogId, product, { headers, query })
    const data: ShownValue<typeof visibility> = {
      type: 'product-visibility',
      id: product.id,
      ...verdictsOf(facts),
    }
    return json(200, { data })
  },
})

/** A merchant who adds a shopper's token sees what that shopper sees. */
function mustBeMerchant({ instance, who }: Ctx): void {
  if (!isSeller(who)) throw wrongToken(instance, { kind: who.grant }, ['client_credentials'])
}

async function factsOf(
  ctx: Ctx,
  catalogId: string,
  product: Row<ProductFields>,
  request: ViewRequest,
): Promise<VisibilityFacts> {
  const chosen = await catalogFor(ctx, request.headers)
  const catalog = await ctx.store.find(catalogs, catalogId)
  const edition = await currentEdition(ctx, catalogId, requestedInstant(ctx, request.headers))
  return {
    waitingRule: await waitingRuleOf(ctx, chosen?.waiting()),
    ruleOfIgnoredBooks:
      edition && !edition.sources.segmented && chosen?.catalogId === catalogId && chosen.pricebookIds
        ? chosen.rule
        : undefined,
    chosen: chosen ? (chosen.catalogId === catalogId ? 'this' : 'another') : 'none',
    status: product.doc.status === 'live' ? 'live' : 'draft',
    ...(await nodesOf(ctx, product.id, catalog?.doc.hierarchy_ids ?? [])),
    updatedAt: product.updatedAt,
    ...(edition && {
      release: await inRelease(ctx, { ...edition, catalogId }, product.id, request, chosen),
    }),
  }
}

async function waitingRuleOf(
  { store }: Ctx,
  rule: WaitingRule | undefined,
): Promise<VisibilityFacts['waitingRule']> {
  if (!rule) return undefined
  const { id, name, waits_for_pricebook_ids } = rule
  const books = await store.run(
    `SELECT name, id FROM ${pricebooks.table} WHERE store_id = $1 AND id = ANY($2::uuid[]) ORDER BY name`,
    waits_for_pricebook_ids,
  )
  return { id, name, pricebooks: books.map(([name, id]) => `${JSON.stringify(name)} ${id}`) }
}

/** The product in the release, with the price of the shopper. */
async function inRelease(
  ctx: Ctx,
  published: CatalogEdition,
  id: string,
  request: ViewRequest,
  chosen: ChosenCatalog | undefined,
): Promise<NonNullable<VisibilityFacts['release']>> {
  const view = await shopperViewOf(ctx, published, request, chosen)
  const [quoted] = await quote(shopIn(ctx, view, view.currency?.code), [{ id, quantity: 1 }])
  if (!quoted?.item || !quoted.facts) return {}
  const { row } = quoted.item
  return {
    product: {
      listed: row.facts.listed,
      updatedAt: String(row.doc.attributes.updated_at),
      isBase: row.doc.attributes.base_product === true,
      price: quoted.facts,
      available: await availableOf(ctx, row),
    },
  }
}

/** Counts the nodes of the product and of its live parent, and those in the hierarchies. */
async function nodesOf({ store }: Ctx, id: string, hierarchyIds: readonly string[]) {
  const [row] = await store.run(
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

/** How many can be sold. A bundle has its default selection. */
async function availableOf(ctx: Ctx, row: PublishedRow): Promise<number | undefined> {
  const options = shopItem(row).parts ?? []
  const stocks = await stockOf(ctx, [row.id, ...options.map(({ id }) => id)])
  const counted = new Map([...stocks].map(([id, { available }]) => [id, { available: Number(available) }]))
  return options.length
    ? sellableOf({ id: row.id, sku: row.doc.attributes.sku, options }, counted)
    : counted.get(row.id)?.available
}

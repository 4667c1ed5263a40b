import { action } from '../../kernel/declare/action.ts'
import { Problem } from '../../kernel/errors.ts'
import { parseBody } from '../../kernel/http/reading/body.ts'
import { pageLengthSql } from '../../kernel/query/page-text.ts'
import { parse } from '../../kernel/query/parse.ts'
import type { Answer } from '../../kernel/shape/answer.ts'
import { integer, text } from '../../kernel/shape/fields.ts'
import { editionTotal } from '../../kernel/storage/editions.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { currencies } from '../../store/index.ts'
import type { EditionShop, SearchedShop } from '../matching/field-values.ts'
import { sortField } from '../matching/search-fields.ts'
import { shopperHeaders } from '../storefront/families.ts'
import { includedText } from '../storefront/included.ts'
import { shopperView } from '../view/views.ts'
import { autocomplete } from './autocomplete.ts'
import { readSearches, type Search, type SearchWindow, searchLimits, toWindows } from './read-searches.ts'
import { type MatchPage, runSearch } from './run-search.ts'
import { searchRequest, searchResponse } from './search-schemas.ts'

/** Searches the products of the catalog that a shopper sees. */
export const multiSearch = action({
  name: 'multi-search',
  route: 'POST /catalog/multi-search',
  about:
    'Searches the products of the catalog that a shopper sees, as they are shown under `/catalog`. Each of `searches` ' +
    'has its result at the same place in `results`. A search has words (`q`), conditions (`filter_by`) and fields whose ' +
    'values are counted (`facet_by`). Prices are those at the time of the search.',
  area: 'catalog',
  status: 200,
  rawBody: true,
  rawBodies: { 'application/json': searchRequest },
  headers: shopperHeaders,
  refuses: ['not_found'],
  shows: { body: searchResponse },
  reads: true,
  withinMs: 10_000,
  query: {
    'page[limit]': integer({
      min: 1,
      max: 100,
      about: 'The number of products per page, for a search without `per_page`.',
    }),
    'page[offset]': integer({
      min: 0,
      max: searchLimits.offsetMax,
      about: 'The number of products to skip, for a search without `page`.',
    }),
    include: text({ about: 'Resources to include with the hits: main_image, files, component_products.' }),
  },
  async run(ctx, call) {
    const searches = readSearches(parseBody(call.rawBody as string, String(call.headers['content-type'])))
    const parameters = parse(call.query)
    const { pageLength, ...shop } = await findShop(ctx, call)
    const request = { limit: parameters.limit ?? pageLength, offset: parameters.offset }
    const windows = toWindows(searches, request)
    await mustKnowSortFields(ctx, shop, searches)
    const results: SearchResult[] = []
    for (const [i, search] of searches.entries()) {
      results.push(await findResult(ctx, shop, search, windows[i] as SearchWindow))
    }
    return toAnswer(ctx, shop, results, parameters.include)
  },
})

interface SearchResult extends Pick<MatchPage, 'rows'> {
  readonly shown: { readonly hits: MatchPage['hits'] }
}

/** The response, with included resources. Storefronts also read the main image of a hit in its document. */
async function toAnswer(
  ctx: Ctx,
  { view }: SearchedShop,
  results: readonly SearchResult[],
  include: readonly string[],
): Promise<Answer> {
  const rows = new Map(results.flatMap(({ rows }) => rows.map((row) => [row.id, row])))
  const more = await includedText(ctx, view, include, [...rows.values()])
  const { main_images = [] } = more ? (JSON.parse(`{${more.slice(1)}}`).included as IncludedImages) : {}
  const images = new Map(main_images.map((image) => [image.id, image]))
  const withImage = (hit: MatchPage['hits'][number]) => {
    const id = rows.get(hit.document.id)?.doc.relationships.main_image?.data.id
    const main_image = id === undefined ? undefined : images.get(id)
    return main_image ? { ...hit, document: { ...hit.document, main_image } } : hit
  }
  const shown = results.map(({ shown }) => ({ ...shown, hits: shown.hits.map(withImage) }))
  return { status: 200, body: `{"results":${JSON.stringify(shown)}${more}}` }
}

/** The part of `included` in a response that hits need. */
interface IncludedImages {
  readonly main_images?: readonly { readonly id: string }[]
}

async function findResult(
  ctx: Ctx,
  shop: SearchedShop,
  search: Search,
  window: SearchWindow,
): Promise<SearchResult> {
  const began = performance.now()
  const run = search.type === 'autocomplete' ? autocomplete : runSearch
  const { found, facets, hits, rows } = await run(ctx, shop, search, window)
  const shown = {
    type: search.type,
    found,
    out_of: shop.products,
    page: window.limit ? Math.floor(window.offset / window.limit) + 1 : (search.page ?? 1),
    request_params: { q: search.q, per_page: window.limit },
    search_time_ms: Math.round(performance.now() - began),
    search_cutoff: false,
    facet_counts: facets,
    hits,
  }
  return { shown, rows }
}

/** The shop of the request, and its default page length. */
async function findShop(
  ctx: Ctx,
  call: Parameters<typeof shopperView>[1],
): Promise<SearchedShop & { pageLength: number }> {
  const view = await shopperView(ctx, call)
  const { catalogId, edition } = view.published
  const [row = []] = await ctx.store.read(
    `SELECT (${editionTotal("'published_products.listed_in'", '$2::uuid', '$3::int')}),
       (SELECT json_object_agg(doc->>'code', doc->'decimal_places') FROM ${currencies.table} WHERE store_id = $1),
       (${pageLengthSql})`,
    catalogId,
    edition,
  )
  const [products, decimals, pageLength] = row
  return {
    view,
    catalogId,
    edition,
    books: view.books,
    at: view.at,
    currency: view.currency?.code ?? '',
    products: Number(products ?? 0),
    decimals: new Map(Object.entries(JSON.parse(decimals ?? '{}') as Record<string, number>)),
    pageLength: Number(pageLength ?? 25),
  }
}

/** What any product may have a value of. */
const ofProducts = new Set([
  'tags',
  'commodity_type',
  'external_ref',
  'base_product',
  'base_product_id',
  'nodes.slug',
  'meta.product_types',
])

/** No schema has these names: merchants choose those of texts for shoppers, and a tree has any number of levels. */
const ofAnyName = /^(?:shopper_attributes\..|categories\.lvl\d+$)/

/**
 * Refuses (400) a field to sort by that is in no schema: neither one of all products nor one of a template. A field is
 * known before the first product has a value of it. What is published also stays known when its template is deleted.
 */
async function mustKnowSortFields(
  { store }: Ctx,
  { catalogId }: EditionShop,
  searches: readonly Search[],
): Promise<void> {
  const fields = searches.flatMap(({ sort }, i) =>
    sort.map(({ field }) => ({ i, field, key: sortField(field) })),
  )
  const unsortable = fields.find(({ key }) => key.in === 'words')
  if (unsortable) throw refuse(unsortable)
  const names = fields.flatMap(({ key }) =>
    key.in === 'values' && !ofProducts.has(key.name) && !ofAnyName.test(key.name) ? key.name : [],
  )
  if (!names.length) return
  const rows = await store.read(
    `SELECT name FROM unnest($3::text[]) name WHERE EXISTS (
       SELECT FROM published_values v WHERE v.store_id = $1 AND v.catalog_id = $2 AND v.field = name)
     OR EXISTS (
       SELECT FROM flow_fields f JOIN flows w ON w.store_id = f.store_id AND w.id = f.flow_id
       WHERE f.store_id = $1 AND name = 'extensions.' || w.slug || '.' || f.slug)`,
    catalogId,
    names,
  )
  const known = new Set(rows.map(([name]) => name))
  const unknown = fields.find(
    ({ key }) => key.in === 'values' && names.includes(key.name) && !known.has(key.name),
  )
  if (unknown) throw refuse(unknown)
}

const refuse = ({ i, field }: { readonly i: number; readonly field: string }) =>
  new Problem(
    'bad_request',
    `Invalid sort field specified. No product can be sorted by ${JSON.stringify(field.slice(0, 40))}: use name, sku, ` +
      'slug, created_at, updated_at, price.float_price, _text_match, or an attribute of products or of a template, such ' +
      'as extensions.products(size).width.',
    { title: 'Invalid Sort', source: `searches[${i}].sort_by` },
  )

import { currencies } from '../currencies/index.ts'
import { action } from '../kernel/action.ts'
import type { Ctx } from '../kernel/context.ts'
import { integer } from '../kernel/fields.ts'
import { json } from '../kernel/http/answer.ts'
import { parseBody } from '../kernel/http/body.ts'
import { parse } from '../kernel/query/parse.ts'
import { shopperView } from '../storefront/index.ts'
import type { Searched } from './ask-shop.ts'
import { autocomplete } from './autocomplete.ts'
import { readSearches, type Search, searchLimits, windowsOf } from './read-searches.ts'
import { runSearch, type Window } from './run-search.ts'

/** Searches the products of the catalog that a shopper sees. */
export const multiSearch = action({
  name: 'multi-search',
  route: 'POST /catalog/multi-search',
  about:
    'Searches the products of the catalog that a shopper sees, as they are shown under `/catalog`: each of `searches` by ' +
    'itself, with a result at its place in `results`. A search has words (`q`), conditions (`filter_by`) and fields whose ' +
    'values are counted (`facet_by`). What a product costs is what it costs at the time of the search.',
  area: 'catalog',
  status: 200,
  rawBody: true,
  reads: true,
  query: {
    'page[limit]': integer({
      min: 1,
      max: 100,
      about: 'Products in a result, where its search has no `per_page`.',
    }),
    'page[offset]': integer({
      min: 0,
      max: searchLimits.offsetMax,
      about: 'Where results begin, where theirs has no `page`.',
    }),
  },
  async run(ctx, call) {
    const searches = readSearches(parseBody(call.rawBody as string, String(call.headers['content-type'])))
    const asked = parse(call.query)
    const { pageLength, ...shop } = await shopOf(ctx, call)
    const request = { limit: asked.limit ?? pageLength, offset: asked.offset }
    const windows = windowsOf(searches, request)
    const results = []
    for (const [i, search] of searches.entries()) {
      results.push(await resultOf(ctx, shop, search, windows[i] as Window))
    }
    return json(200, { results })
  },
})

async function resultOf(ctx: Ctx, shop: Searched, search: Search, window: Window): Promise<object> {
  const began = performance.now()
  const run = search.type === 'autocomplete' ? autocomplete : runSearch
  const { found, facets, hits } = await run(ctx, shop, search, window)
  return {
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
}

/** The shop as the request sees it, and how long its pages are. */
async function shopOf(
  ctx: Ctx,
  call: Parameters<typeof shopperView>[1],
): Promise<Searched & { pageLength: number }> {
  const view = await shopperView(ctx, call)
  const { catalogId, edition } = view.published
  const [row = []] = await ctx.store.glance(
    `SELECT (SELECT n FROM edition_totals WHERE store_id = $1 AND list = 'published_products.listed_in'
         AND scope = ARRAY[$2::uuid] AND since <= $3::int AND until > $3::int),
       (SELECT json_object_agg(doc->>'code', doc->'decimal_places') FROM ${currencies.table} WHERE store_id = $1),
       (SELECT doc->>'page_length' FROM singletons WHERE store_id = $1 AND name = 'settings')`,
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
    products: Number(products ?? 0),
    decimals: new Map(Object.entries(JSON.parse(decimals ?? '{}') as Record<string, number>)),
    pageLength: Number(pageLength ?? 25),
  }
}

import { isSeller } from '../../kernel/auth/principal.ts'
import type { ActionCall } from '../../kernel/declare/action.ts'
import { Problem } from '../../kernel/errors.ts'
import { prefers, type RequestHeaders } from '../../kernel/http/prefer.ts'
import { isId } from '../../kernel/ids.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { type DisplayCurrency, displayCurrency, pricebooks } from '../../prices/index.ts'
import type { ChosenCatalog } from '../catalogs/catalog-for.ts'
import { requestedInstant, shopperOf } from '../catalogs/shopper-context.ts'
import type { CatalogEdition } from '../publishing/editions.ts'
import { findPublishedEdition } from '../releases/find-release.ts'
import { findCurrencies, findEdition, findShop } from './find-shop.ts'
import { requestedLanguages } from './languages.ts'
import { missingBooks, pricebooksFor } from './shop-context.ts'
import type { View } from './view.ts'

export type ViewRequest = Pick<ActionCall, 'headers' | 'query'>

/** What a shopper sees: the rules choose the catalog, and links of pages name the release, where it is still kept. */
export async function shopperView(ctx: Ctx, request: ViewRequest): Promise<View> {
  const shopper = await shopperOf(ctx, request.headers)
  const asOf = requestedInstant(ctx, request.headers)
  const { chosen, context, currencies } = await findShop(ctx, shopper, {
    asOf,
    releaseId: releaseIn(request),
  })
  if (!chosen) throw new Problem('not_found', 'No catalog is published for this shopper.')
  if (!context) throw new Problem('not_found', 'Nothing is published for this shopper.')
  return {
    ...displayOf(currencies, request),
    ...context,
    prefix: '/catalog',
    pinned: true,
    ...(wantsExplanation(ctx, request) && { explains: { chosen } }),
  }
}

/** What a shopper sees of an edition of a catalog, whichever catalog the rules choose for them. */
export async function shopperViewOf(
  ctx: Ctx,
  published: CatalogEdition,
  request: ViewRequest,
  chosen: ChosenCatalog | undefined,
): Promise<View> {
  const named = chosen?.catalogId === published.catalogId ? chosen.pricebookIds : undefined
  return {
    ...displayOf(await findCurrencies(ctx), request),
    published,
    ...pricebooksFor(published, named),
    at: chosen?.shopper.at ?? requestedInstant(ctx, request.headers) ?? ctx.clock.now(),
    prefix: '/catalog',
    pinned: false,
  }
}

/** What is in a release, for the merchant. */
export async function releaseView(
  ctx: Ctx,
  request: ViewRequest & { readonly params: Readonly<Record<'catalog_id' | 'release_id', string>> },
): Promise<View> {
  const { params, headers } = request
  const [named, currencies] = await Promise.all([findPublishedEdition(ctx, params), findCurrencies(ctx)])
  const { catalogId } = named
  const pinned = !isId(params.release_id)
  const published = (pinned ? await findEdition(ctx, catalogId, releaseIn(request)) : undefined) ?? named
  const preview = pricebookIdsIn(headers, previewHeader)
  const available = pricebookIdsIn(headers, availableHeader)
  if (preview && preview.length > previewMax) {
    throw new Problem('bad_request', `${previewHeader} must name at most ${previewMax} price books.`, {
      source: previewHeader,
    })
  }
  const unpublished = missingBooks(published, preview)
  await mustExist(ctx, unpublished)
  return {
    ...displayOf(currencies, request),
    published,
    ...pricebooksFor(published, preview, unpublished),
    at: requestedInstant(ctx, headers) ?? ctx.clock.now(),
    prefix: `/catalogs/${catalogId}/releases/${params.release_id}`,
    pinned,
    ...(available && { availableBooks: available[0] === 'all' ? published.sources.pricebookIds : available }),
    ...(wantsExplanation(ctx, request) && { explains: {} }),
  }
}

/** The prices of a release for no particular shopper: those of all price books that rules may choose. */
export async function deltaView(ctx: Ctx, published: CatalogEdition, release: string): Promise<View> {
  const { segmented, ownPricebookIds, pricebookIds } = published.sources
  return {
    ...displayOf(await findCurrencies(ctx), { headers: {} }),
    published,
    books: ownPricebookIds,
    at: ctx.clock.now(),
    prefix: `/catalogs/${published.catalogId}/releases/${release}`,
    pinned: false,
    ...(segmented && { availableBooks: pricebookIds }),
  }
}

/** A price book that is previewed need not be in the release, but must exist. */
async function mustExist({ store }: Ctx, ids: readonly string[]): Promise<void> {
  if (!ids.length) return
  const rows = await store.read(
    `SELECT id FROM ${pricebooks.table} WHERE store_id = $1 AND id = ANY($2::uuid[])`,
    ids,
  )
  const existing = new Set(rows.map(([id]) => id))
  const missing = ids.filter((id) => !existing.has(id))
  if (!missing.length) return
  throw new Problem('bad_request', `No price book has the id ${missing.join(', or ')}.`, {
    source: previewHeader,
  })
}

const previewHeader = 'EP-Pricebook-IDs-For-Price-Segmentation-Preview'
const availableHeader = 'EP-Pricebook-IDs-Of-Available-Prices-To-Show'
const previewMax = 5

/** A header's text; undefined where it is empty. */
const headerOf = (headers: RequestHeaders, name: string): string | undefined =>
  [headers[name.toLowerCase()]].flat().join(',').trim() || undefined

/** The ids that a header lists, or the word `all` in place of them; undefined where it lists none. */
function pricebookIdsIn(headers: RequestHeaders, name: string): readonly string[] | undefined {
  const words = headerOf(headers, name)
    ?.split(',')
    .map((word) => word.trim().toLowerCase())
    .filter(Boolean)
  const wrong = words?.find((word) => !isId(word) && !(word === 'all' && name === availableHeader))
  if (wrong === undefined) return words?.length ? [...new Set(words)] : undefined
  throw new Problem(
    'bad_request',
    `${name} must be a list of ids of price books, not ${JSON.stringify(wrong)}.`,
    {
      source: name,
    },
  )
}

/** The currency and the languages of an answer. */
const displayOf = (
  currencies: readonly DisplayCurrency[],
  { headers }: Pick<ViewRequest, 'headers'>,
): Pick<View, 'currency' | 'languages'> => ({
  currency: displayCurrency(headerOf(headers, 'X-Moltin-Currency'), currencies),
  languages: requestedLanguages(headerOf(headers, 'X-Moltin-Language'), headerOf(headers, 'Accept-Language')),
})

/** The name under which links of a page carry the release. */
export const pin = 'release'

/** The release that a page's link names. */
function releaseIn({ query }: ViewRequest): string | undefined {
  const id = new URLSearchParams(query).get(pin)
  return id && isId(id) ? id.toLowerCase() : undefined
}

/** Whether to explain the answer: to callers who ask for it and may know. */
export const wantsExplanation = (
  { who, instance }: Ctx,
  { headers }: Pick<ViewRequest, 'headers'>,
): boolean => (isSeller(who) || instance.explainsToShoppers) && prefers(headers, 'explain')

import { type ChosenCatalog, chosenCatalog, instantAsked, shopperOf } from '../catalogs/index.ts'
import type { ActionCall } from '../kernel/declare/action.ts'
import { Problem } from '../kernel/errors.ts'
import { isId } from '../kernel/ids.ts'
import type { Ctx } from '../kernel/work/context.ts'
import { pricebooks } from '../pricebooks/index.ts'
import { type DisplayCurrency, displayCurrency } from '../pricing/index.ts'
import { currentEdition, editionOf, type Published } from '../publishing/index.ts'
import { findPublished } from '../releases/index.ts'
import { currenciesOf, glanceAtShop } from './glance-at-shop.ts'
import { languagesAsked } from './languages.ts'
import type { View } from './view.ts'

export type Asked = Pick<ActionCall, 'headers' | 'query'>

/** What a shopper sees: the rules choose the catalog, and the links of pages the release, where it is there still. */
export async function shopperView(ctx: Ctx, asked: Asked): Promise<View> {
  const shopper = await shopperOf(ctx, asked.headers)
  const then = instantAsked(ctx, asked.headers)
  const shop = await glanceAtShop(ctx, shopper, then)
  const chosen = chosenCatalog(shopper, shop.rules)
  const { catalogId, pricebookIds } = chosen
  const pinned = await pinnedEdition(ctx, catalogId, asked)
  const published =
    // An older edition may not have the price books of a rule: then the prices of the current one count.
    (pinned && !missingFrom(pinned, pricebookIds).length ? pinned : undefined) ??
    (catalogId === shop.rules.oldestPublished ? shop.oldest : await editionAt(ctx, catalogId, then))
  if (!published) throw new Problem('not_found', 'Nothing is published for this shopper.')
  return {
    ...shownIn(shop.currencies, asked),
    published,
    ...booksFor(published, pricebookIds),
    // What rules name is in the current edition, and need not be in one of the past.
    ...unpublishedBooks(then ? missingFrom(published, pricebookIds) : []),
    at: shopper.at,
    prefix: '/catalog',
    pinned: true,
    ...(explains(ctx, asked) && { explains: { chosen } }),
  }
}

/** What a shopper sees of an edition of a catalog, whichever the rules choose for them. */
export async function shopperViewOf(
  ctx: Ctx,
  published: Published,
  asked: Asked,
  chosen: ChosenCatalog | undefined,
): Promise<View> {
  const named = chosen?.catalogId === published.catalogId ? chosen.pricebookIds : undefined
  return {
    ...shownIn(await currenciesOf(ctx), asked),
    published,
    ...booksFor(published, named),
    at: chosen?.shopper.at ?? instantAsked(ctx, asked.headers) ?? ctx.clock.now(),
    prefix: '/catalog',
    pinned: false,
  }
}

/** What is in a release, for the merchant. */
export async function releaseView(
  ctx: Ctx,
  asked: Asked & { readonly params: Readonly<Record<'catalog_id' | 'release_id', string>> },
): Promise<View> {
  const { params, headers } = asked
  const [named, currencies] = await Promise.all([findPublished(ctx, params), currenciesOf(ctx)])
  const { catalogId } = named
  const pinned = !isId(params.release_id)
  const published = (pinned ? await pinnedEdition(ctx, catalogId, asked) : undefined) ?? named
  const preview = listed(headers, previewHeader)
  const available = listed(headers, availableHeader)
  if (preview && preview.length > previewMax) {
    throw new Problem('bad_request', `${previewHeader} names at most ${previewMax} price books.`, {
      source: previewHeader,
    })
  }
  const unpublished = missingFrom(published, preview)
  await mustBeThere(ctx, unpublished)
  return {
    ...shownIn(currencies, asked),
    published,
    ...booksFor(published, preview),
    ...unpublishedBooks(unpublished),
    at: instantAsked(ctx, headers) ?? ctx.clock.now(),
    prefix: `/catalogs/${catalogId}/releases/${params.release_id}`,
    pinned,
    ...(available && { availableBooks: available[0] === 'all' ? published.madeOf.pricebookIds : available }),
    ...(explains(ctx, asked) && { explains: {} }),
  }
}

/** The price books that count: those that a rule names, where the catalog lets rules do so; else its own. */
export const booksFor = (
  { madeOf }: Published,
  named: readonly string[] | undefined,
): Pick<View, 'books' | 'listBooks'> =>
  madeOf.segmented && named
    ? { books: named, listBooks: madeOf.ownPricebookIds }
    : { books: madeOf.ownPricebookIds }

/** The price books that count by their names, and that an edition does not have. */
const missingFrom = ({ madeOf }: Published, named: readonly string[] = []): readonly string[] =>
  madeOf.segmented ? named.filter((id) => !madeOf.pricebookIds.includes(id)) : []

const unpublishedBooks = (ids: readonly string[]) => (ids.length ? { unpublishedBooks: ids } : {})

/** What is previewed need not be in the release. */
async function mustBeThere({ store }: Ctx, ids: readonly string[]): Promise<void> {
  if (!ids.length) return
  const found = await store.glance(
    `SELECT id FROM ${pricebooks.table} WHERE store_id = $1 AND id = ANY($2::uuid[])`,
    ids,
  )
  const known = new Set(found.map(([id]) => id))
  const missing = ids.filter((id) => !known.has(id))
  if (!missing.length) return
  throw new Problem('bad_request', `No price book has the id ${missing.join(', or ')}.`, {
    source: previewHeader,
  })
}

const previewHeader = 'EP-Pricebook-IDs-For-Price-Segmentation-Preview'
const availableHeader = 'EP-Pricebook-IDs-Of-Available-Prices-To-Show'
const previewMax = 5

type Headers = Asked['headers']

/** A header's text; undefined where it is empty. */
const headerOf = (headers: Headers, name: string): string | undefined =>
  [headers[name.toLowerCase()]].flat().join(',').trim() || undefined

/** The ids that a header lists, or a word in place of them; undefined where it lists none. */
function listed(headers: Headers, name: string): readonly string[] | undefined {
  const words = headerOf(headers, name)
    ?.split(',')
    .map((word) => word.trim().toLowerCase())
    .filter(Boolean)
  const wrong = words?.find((word) => !isId(word) && !(word === 'all' && name === availableHeader))
  if (wrong === undefined) return words?.length ? [...new Set(words)] : undefined
  throw new Problem('bad_request', `${name} lists ids of price books, not ${JSON.stringify(wrong)}.`, {
    source: name,
  })
}

/** In which currency and language. */
const shownIn = (
  currencies: readonly DisplayCurrency[],
  { headers }: Pick<Asked, 'headers'>,
): Pick<View, 'currency' | 'languages'> => ({
  currency: displayCurrency(headerOf(headers, 'X-Moltin-Currency'), currencies),
  languages: languagesAsked(headerOf(headers, 'X-Moltin-Language'), headerOf(headers, 'Accept-Language')),
})

/** The name under which links of a page carry the release. */
export const pin = 'release'

/** The edition that a page's link names; undefined where it is gone, or none is named. */
async function pinnedEdition(ctx: Ctx, catalogId: string, { query }: Asked): Promise<Published | undefined> {
  const named = new URLSearchParams(query).get(pin)
  const edition = named && isId(named) ? await editionOf(ctx, catalogId, named.toLowerCase()) : undefined
  return edition && { ...edition, catalogId }
}

/** The edition that is current; where an instant is asked for, the one that was, or will be. */
async function editionAt(
  ctx: Ctx,
  catalogId: string,
  then: Date | undefined,
): Promise<Published | undefined> {
  const edition = await currentEdition(ctx, catalogId, then)
  return edition && { ...edition, catalogId }
}

/** Whether to say why things are as they are: to whoever asks for it, and may know. */
const explains = ({ who, instance }: Ctx, { headers }: Asked): boolean =>
  (who.grant === 'client_credentials' || instance.explainsToShoppers) &&
  (headerOf(headers, 'Prefer') ?? '')
    .split(',')
    .some((preference) => preference.trim().toLowerCase() === 'explain')

/** What is published by itself, for nobody in particular: all prices that rules may choose from are told. */
export async function viewOf(ctx: Ctx, published: Published, release: string): Promise<View> {
  const { segmented, ownPricebookIds, pricebookIds } = published.madeOf
  return {
    ...shownIn(await currenciesOf(ctx), { headers: {} }),
    published,
    books: ownPricebookIds,
    at: ctx.clock.now(),
    prefix: `/catalogs/${published.catalogId}/releases/${release}`,
    pinned: false,
    ...(segmented && { availableBooks: pricebookIds }),
  }
}

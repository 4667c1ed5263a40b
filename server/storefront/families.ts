import type { Action } from '../kernel/declare/action.ts'
import type { Resource } from '../kernel/declare/resource.ts'
import { type Fields, text } from '../kernel/shape/fields.ts'
import type { Ctx } from '../kernel/work/context.ts'
import { releaseParameter } from '../releases/index.ts'
import { explanationSchema } from './explanation.ts'
import { includedSchema, includeParameter } from './included.ts'
import { publishedProducts } from './published-products.ts'
import type { View } from './view.ts'
import { pin, releaseView, shopperView, type ViewRequest } from './views.ts'
import { ofWholeEdition } from './whole-edition.ts'

/**
 * Published objects have two paths: shoppers read the catalog that the rules choose for them, and merchants any
 * release of any catalog. Each call is declared once for both.
 */
export interface Family {
  /** Part of the names of its calls. */
  readonly of: 'catalog' | 'release'
  readonly path: '/catalog' | '/catalogs/:catalog_id/releases/:release_id'
  /** Describes the view in the descriptions of its calls. */
  readonly phrase: string
  readonly area: 'catalog' | 'catalogs'
  viewOf(ctx: Ctx, call: ViewRequest & { readonly params: Readonly<Record<string, string>> }): Promise<View>
}

const shopper: Family = {
  of: 'catalog',
  path: '/catalog',
  phrase: 'in the catalog that the rules choose for the shopper',
  area: 'catalog',
  viewOf: shopperView,
}

const merchant: Family = {
  of: 'release',
  path: '/catalogs/:catalog_id/releases/:release_id',
  phrase: 'in a release',
  area: 'catalogs',
  viewOf: (ctx, call) => releaseView(ctx, call as Parameters<typeof releaseView>[1]),
}

/**
 * The objects that a list shows. Its rows are declared at the shopper's path only, because the merchant's list has
 * the same.
 */
export const objectsOfList = (of: Family['of'], resource: Resource, rows: Resource) =>
  of === 'catalog' ? ({ resource, page: true, rows: [rows] } as const) : ({ resource, page: true } as const)

const header = (about: string) => text({ about })

const pinParameter = text({
  about:
    'The id of the release to read; the links of a page contain it. If there is no such release, the current one is read.',
})

const shownIn = {
  'X-Moltin-Currency': header('The code of the currency of prices. Default: the currency of the store.'),
  'X-Moltin-Language': header(
    'The language of names and descriptions; it takes precedence over `Accept-Language`.',
  ),
  'Accept-Language': header('The languages of names and descriptions, as browsers send them.'),
  Prefer: header(
    '`explain` asks for the reasons for the catalog and the prices. For the merchant, and for shoppers if a setting allows it.',
  ),
  'Sutler-At': text({
    format: 'date-time',
    about: 'For the merchant: the instant at which rules, schedules and sales are evaluated.',
  }),
}

export const shopperHeaders = {
  'EP-Channel': header('The channel that catalog rules match.'),
  'EP-Context-Tag': header('The tags that catalog rules match, separated by commas.'),
  ...shownIn,
}

const merchantHeaders = {
  'EP-Pricebook-IDs-For-Price-Segmentation-Preview': header(
    'The ids of up to five price books, strongest first. Prices are shown as if a rule named them.',
  ),
  'EP-Pricebook-IDs-Of-Available-Prices-To-Show': header(
    'The ids of price books, or `all`. Their prices of a product are shown in `meta.available_prices`.',
  ),
  ...shownIn,
}

/** Adds what all calls have in common to the API document: headers, links, explanations and included objects. */
function documented(call: Action, headers: Fields): Action {
  const { shows = {} } = call
  const explanation = explanationSchema
  const included = shows.resource === publishedProducts ? { included: includedSchema } : {}
  const one = {
    links: { type: 'object', required: ['self'], properties: { self: { type: 'string', format: 'uri' } } },
    meta: { type: 'object', properties: { explanation } },
  }
  return {
    ...call,
    headers,
    // Lists answer 404 too, if nothing is published for the shopper or the release is gone.
    refuses: [...(call.refuses ?? []), 'not_found'],
    query: {
      ...call.query,
      ...(shows.page && { [pin]: pinParameter }),
      ...('included' in included && { include: includeParameter }),
    },
    ...(call.route.includes(':release_id') && { params: { release_id: releaseParameter } }),
    shows: {
      ...shows,
      ...(shows.page ? { meta: { explanation } } : { etag: true as const }),
      beside: { ...(!shows.page && one), ...included },
    },
  }
}

/** An action of both families, each with its own path. */
type FamilyAction = (family: Family) => Action

export const forShoppers = (calls: readonly FamilyAction[]): readonly Action[] =>
  calls.map((call) => ofWholeEdition(documented(call(shopper), shopperHeaders)))
export const forMerchants = (calls: readonly FamilyAction[]): readonly Action[] =>
  calls.map((call) => ofWholeEdition(documented(call(merchant), merchantHeaders)))

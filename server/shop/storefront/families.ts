import type { Action, ActionCall } from '../../kernel/declare/action.ts'
import type { Answer } from '../../kernel/shape/answer.ts'
import { type Fields, text } from '../../kernel/shape/fields.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { releaseParameter } from '../releases/find-release.ts'
import type { View } from '../view/view.ts'
import { pin, releaseView, shopperView, type ViewRequest } from '../view/views.ts'
import { ofWholeEdition } from '../view/whole-edition.ts'
import { explanationSchema } from './explanation.ts'
import { includedSchema, includeParameter } from './included.ts'
import { publishedProducts } from './published-products.ts'

export type ReadCall = Omit<ActionCall, 'params'> & { readonly params: Readonly<Record<string, string>> }

/** A call that reads what is published. It is declared once for all families. */
export interface PublishedRead extends Pick<Action, 'refuses' | 'reads' | 'data'> {
  /** Has `*` in place of the name of the family. */
  readonly name: string
  /** The route below the path of the family. */
  readonly route: 'GET' | `${'GET' | 'POST'} /${string}`
  /** Has `*` in place of the phrase of the family. */
  readonly about: string
  readonly shows: NonNullable<Action['shows']>
  run(ctx: Ctx, view: View, call: ReadCall): Promise<Answer>
}

/** The addresses of published objects for one kind of caller, and what that caller sees. */
interface AddressFamily {
  readonly path: '/catalog' | '/catalogs' | '/catalogs/:catalog_id/releases/:release_id'
  readonly area: 'catalog' | 'catalogs'
  readonly nameOf: (read: PublishedRead) => string
  /** Describes the view in the descriptions of its calls. */
  readonly phrase: string
  readonly headers: Fields
  viewOf(ctx: Ctx, call: ViewRequest & Pick<ReadCall, 'params'>): Promise<View>
}

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

const shopper: AddressFamily = {
  path: '/catalog',
  area: 'catalog',
  nameOf: ({ name }) => name.replace('*', 'catalog'),
  phrase: 'in the catalog that the rules choose for the shopper',
  headers: shopperHeaders,
  viewOf: shopperView,
}

const merchant: AddressFamily = {
  path: '/catalogs/:catalog_id/releases/:release_id',
  area: 'catalogs',
  nameOf: ({ name }) => name.replace('*', 'release'),
  phrase: 'in a release',
  headers: merchantHeaders,
  viewOf: (ctx, call) => releaseView(ctx, call as Parameters<typeof releaseView>[1]),
}

/** Paths of merchants that are not in the public contract but that an SDK calls as a shopper. */
const alias: AddressFamily = {
  ...shopper,
  path: '/catalogs',
  area: 'catalogs',
  nameOf: (read) => `${shopper.nameOf(read)}-too`,
}

/** The action of a read in a family. What all have in common is declared here, also for the API document. */
function actionOf(family: AddressFamily, read: PublishedRead): Action {
  const { path, area, phrase, headers, nameOf, viewOf } = family
  const [method, below = ''] = read.route.split(' ')
  // The rows of a list are declared at the shopper's path only, because the other lists have the same.
  const { rows, ...shows } = read.shows
  const explanation = explanationSchema
  const included = shows.resource === publishedProducts ? { included: includedSchema } : {}
  const one = {
    links: { type: 'object', required: ['self'], properties: { self: { type: 'string', format: 'uri' } } },
    meta: { type: 'object', properties: { explanation } },
  }
  return ofWholeEdition({
    ...read,
    name: nameOf(read),
    route: `${method} ${path}${below}`,
    about: read.about.replace('*', phrase),
    area,
    status: 200,
    headers,
    // Lists answer 404 too, if nothing is published for the shopper or the release is gone.
    refuses: [...(read.refuses ?? []), 'not_found'],
    query: {
      ...(shows.page && { [pin]: pinParameter }),
      ...('included' in included && { include: includeParameter }),
    },
    ...(path.includes(':release_id') && { params: { release_id: releaseParameter } }),
    shows: {
      ...shows,
      ...(family === shopper && rows && { rows }),
      ...(shows.page ? { meta: { explanation } } : { etag: true }),
      beside: { ...(!shows.page && one), ...included },
    },
    run: async (ctx, call: ReadCall) => read.run(ctx, await viewOf(ctx, call), call),
  })
}

const actionsOf = (family: AddressFamily) => (reads: readonly PublishedRead[]) =>
  reads.map((read) => actionOf(family, read))

export const forShoppers = actionsOf(shopper)
export const forMerchants = actionsOf(merchant)
export const asAliases = actionsOf(alias)

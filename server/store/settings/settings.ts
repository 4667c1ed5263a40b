import { singleton } from '../../kernel/declare/singleton.ts'
import { Problem } from '../../kernel/errors.ts'
import { choice, field, flag, integer, list, reference, text } from '../../kernel/shape/fields.ts'
import { settingsMeta } from './cart-settings.ts'

/** Limits that the settings show. No update changes them. */
const fixedLimits = {
  currency_limit: 10,
  field_limit: 100,
  integration_limit: 100,
  event_limit: 5,
  filter_limit: 10,
  tax_item_limit: 5,
  promotions_limit: 1000,
  promotion_codes_limit: 1000,
  page_offset_limit: 10_000,
} as const

const addressFields = [
  'name',
  'first_name',
  'last_name',
  'phone_number',
  'company_name',
  'instructions',
  'line_1',
  'line_2',
  'city',
  'county',
  'region',
  'postcode',
  'country',
] as const

/** Refuses what is no time zone of the IANA database. An offset such as +01:00 has no summer time. */
function mustBeTimeZone(name: string): void {
  try {
    if (/^[a-z]/i.test(name) && new Intl.DateTimeFormat('en', { timeZone: name })) return
  } catch {
    // Below.
  }
  throw new Problem(
    'unprocessable',
    'data.time_zone must be the name of a time zone of the IANA database, such as Europe/Berlin or UTC, or an empty text for none.',
    { source: 'data.time_zone' },
  )
}

/** The store's settings. `page_length` is the length of a page whose request names none. */
export const settings = singleton({
  name: 'settings',
  type: 'settings',
  about:
    'The settings of the store, such as the default page length, the languages and the mandatory address fields.',
  path: '/v2/settings',
  area: 'settings',
  operations: ['get', 'update', 'delete'],
  fields: {
    name: text({
      default: '',
      max: 255,
      about:
        'The name of the store on screens and in mails. If it is empty, that is the name that the operator of the server gave it.',
      example: 'Bloom & Sons',
    }),
    time_zone: text({
      default: '',
      max: 64,
      about:
        'The time zone of the store, for screens that show times: a name of the IANA database. If it is empty, they use the time zone of the viewer.',
      example: 'Europe/Berlin',
    }),
    page_length: integer({
      default: 25,
      min: 1,
      max: 100,
      about: 'The number of records per page if the request has no limit.',
    }),
    list_child_products: flag({
      default: false,
      about: 'Whether lists of the legacy catalog include child products.',
    }),
    additional_languages: list(text({ pattern: /^[a-z]{2}$/ }), {
      default: [],
      maxItems: 200,
      about: 'The ISO 639-1 codes of the other languages.',
      example: ['fr'],
    }),
    calculation_method: choice(['line', 'simple'], {
      default: 'line',
      about: 'How taxes and totals are rounded.',
    }),
    address_mandatory_fields: list(choice(addressFields, {}), {
      default: ['first_name', 'last_name', 'line_1', 'county', 'postcode', 'country'],
      maxItems: addressFields.length,
      about: 'The fields that a new address must have.',
      example: ['first_name', 'last_name', 'line_1', 'postcode', 'country'],
    }),
    shopper_address_limit: integer({
      default: 25,
      min: 1,
      max: 500,
      about: 'The maximum number of addresses of an account.',
    }),
    shoppers_read_stock: flag({
      default: true,
      about: 'Whether shopper tokens, including implicit ones, can read stock and its locations.',
    }),
    shoppers_read_template_entries: flag({
      default: true,
      about:
        'Whether shopper tokens can read the template fields of products under /v2/flows, including those of drafts.',
    }),
  },
  check: ({ time_zone }) => {
    if (time_zone !== '') mustBeTimeZone(time_zone)
  },
  shows: {
    data: {
      id: reference('store', {}),
      ...Object.fromEntries(
        Object.entries(fixedLimits).map(([name, value]) => [
          name,
          field({ const: value }, { about: 'Fixed.' }),
        ]),
      ),
    },
    beside: { meta: settingsMeta },
  },
  show: (ctx, values) => ({
    data: { type: 'settings', id: ctx.store.id, ...values, ...fixedLimits },
    meta: { owner: 'store' },
  }),
})

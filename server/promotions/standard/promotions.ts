import { hook } from '../../kernel/declare/hook.ts'
import { resource } from '../../kernel/declare/resource.ts'
import { choice, flag, integer, list, text, type Values } from '../../kernel/shape/fields.ts'
import { type FilterRule, indexed, walks } from '../../kernel/shape/model.ts'
import type { Work } from '../../kernel/work/context.ts'
import { isUnchanged } from '../../kernel/write/drafts.ts'
import { fromStandard } from '../discounts/standard/from-standard.ts'
import type { StandardDocument } from '../discounts/standard/standard-document.ts'
import { amountsField } from './amounts-field.ts'
import { authorFields, completeAuthors } from './authors.ts'
import { checkSchema } from './check-schema.ts'
import { mustBeCurrencies } from './currencies-of-store.ts'
import { limitConditions } from './limit-conditions.ts'
import { completePeriod, periodFields } from './period.ts'
import { promotionEnvelope } from './promotion-envelope.ts'
import { keepMembers, type StandardSchema, schemaField } from './schema-field.ts'

/** Filters that no index answers. A store has at most a thousand promotions, so each of these reads few documents. */

// By the clock of the database: a filter does not know that of the process.
const statuses: Readonly<Record<string, string>> = {
  disabled: 'NOT enabled',
  scheduled: '(enabled AND starts_at > now())',
  running: '(enabled AND starts_at <= now() AND ends_at > now())',
  expired: '(enabled AND starts_at <= now() AND ends_at <= now())',
}

/** `Running`, `Scheduled`, `Expired` or `Disabled`; nothing has another status. */
const byStatus: FilterRule = {
  ops: ['eq'],
  type: 'text',
  where: (_op, values) =>
    `(${values.map((value) => (Object.hasOwn(statuses, value.toLowerCase()) ? statuses[value.toLowerCase()] : 'false')).join(' OR ')})`,
}

/** Where a schema names products, by SKU or id; not those that it excludes. */
const places = ['$.targets[*]', '$.requirements[*].targets[*]', '$.gifts[*]']

/** The products that a promotion is for: the SKUs and ids in its targets, its bundles and its gifts. */
const byProduct: FilterRule = {
  ops: ['eq', 'like'],
  type: 'text',
  where: (op, values, bind) => {
    const named = `SELECT place #>> '{}' AS name FROM unnest('{${places.join(',')}}'::jsonpath[]) path,
      jsonb_path_query((doc->'schema')::jsonb, path) place`
    const test =
      op === 'like'
        ? `name LIKE ${bind(values[0])}::text`
        : `name IN (${values.map((value) => `${bind(value)}::text`).join(', ')})`
    return `EXISTS (SELECT 1 FROM (${named}) named WHERE ${test})`
  },
}

const promotionTypes = [
  'fixed_discount',
  'percent_discount',
  'item_fixed_discount',
  'item_percent_discount',
  'x_for_y',
  'x_for_amount',
  'bundle_fixed_discount',
  'bundle_gift',
] as const

/** What a promotion has, now and in each of its versions. */
export const promotionFields = {
  name: text({ required: true, min: 1, max: 255, about: 'Shown to shoppers.', example: 'Winter sale' }),
  description: text({ required: true, about: 'What the promotion is about.', example: '20 % off coats' }),
  promotion_type: choice(promotionTypes, { required: true, about: 'The kind of discount.' }),
  enabled: flag({ default: false, about: 'Whether the promotion applies from its start to its end.' }),
  automatic: flag({
    default: false,
    about: 'Whether the promotion applies to every cart. Otherwise shoppers enter one of its codes.',
  }),
  ...periodFields,
  schema: schemaField,
  target_catalogs: list(text({ format: 'uuid' }), {
    nullable: true,
    maxItems: 100,
    about: 'Some clients send the catalogs here: they count if `schema` has none.',
  }),
  min_cart_value: amountsField('What a cart must cost before discounts, by currency.'),
  max_discount_value: amountsField('The most that the promotion takes off a cart, by currency.'),
  max_applications_per_cart: integer({
    nullable: true,
    min: 0,
    max: 1_000_000_000,
    about: 'How often the promotion applies to one cart; 0 stands for no limit.',
  }),
  ...authorFields,
}

export type PromotionFields = typeof promotionFields
type PromotionValues = Values<PromotionFields>

const optional = [
  'min_cart_value',
  'max_discount_value',
  'max_applications_per_cart',
  'target_catalogs',
] as const

/** What must happen before a promotion that has ended gets a later end. May refuse it. */
export const beforeRestart = hook<(work: Work, promotionId: string) => Promise<void>>('beforeRestart')

/** A discount of one of eight types. */
export const promotions = resource({
  type: 'promotion',
  noun: ['promotion', 'promotions'],
  about: 'A standard promotion: a discount on a cart or on some of its items, automatic or by code.',
  path: '/v2/promotions',
  table: 'promotions',
  fields: promotionFields,
  addedUnder: 'promotions',
  filter: {
    ...walks,
    name: indexed('eq', 'like'),
    promotion_type: indexed('eq'),
    // The same filters under the names of the contract's search. The server does not need the header of that search.
    promo_id: { ops: ['eq'], type: 'uuid', column: 'id' },
    promo_name: { ...indexed('eq', 'like'), column: 'name' },
    promo_type: { ...indexed('eq'), column: 'promotion_type' },
    promo_start_date: { ops: walks.created_at, type: 'time', column: 'starts_at' },
    promo_status: byStatus,
    promo_skus_prod_ids: byProduct,
    promo_end_date: { ops: walks.created_at, type: 'time', column: 'ends_at' },
  },
  sort: ['created_at', 'id', 'updated_at'],
  most: { n: 1000, detail: (n) => `A store can have at most ${n} promotions.` },
  area: 'promotions',
  envelope: promotionEnvelope,
  refusedWith: 422,
  beforeWrite: async (work, draft) => {
    const { id, values, changes, before } = draft
    completePeriod(values)
    for (const name of optional) values[name] ??= undefined
    if (!changes || changes.schema || changes.promotion_type) {
      values.schema = keepMembers(values.schema) as StandardSchema
      checkSchema(values.promotion_type, values.schema)
      // What cannot be compiled is a fault of the checks: it must not be stored, or carts would lack the promotion.
      fromStandard({ ...values, id } as StandardDocument, work.clock.now())
    }
    const known = new Set(before ? currenciesIn(before.doc).map(([, code]) => code) : [])
    const named = currenciesIn(values)
    await mustBeCurrencies(
      work,
      named.filter(([, code]) => !known.has(code)),
    )
    completeAuthors(work, values, !isUnchanged(promotionFields, draft))
    const now = work.clock.now().getTime()
    const endOf = ({ ends_at_ms = now }: { readonly ends_at_ms?: number | undefined }) => ends_at_ms
    if (before && endOf(before.hidden) <= now && endOf(values) > now) await beforeRestart(work, id)
  },
  afterWrite: (work, row, before) =>
    limitConditions(
      work,
      {
        ...{ table: 'promotions', member: 'schema', words: 'promotions' },
        counted:
          'target attributes, target conditions, requirements and gifts (and each promotion is one more)',
      },
      row,
      before,
    ),
})

/** The currencies that a promotion names, with their positions in a request. */
function currenciesIn({ schema, min_cart_value, max_discount_value }: PromotionValues) {
  const lists = {
    'data.schema.currencies': 'currencies' in schema ? schema.currencies : undefined,
    'data.min_cart_value': min_cart_value,
    'data.max_discount_value': max_discount_value,
  }
  return Object.entries(lists).flatMap(([source, list]) =>
    list
      ? [list].flat().map(({ currency }, index) => {
          const place = Array.isArray(list) ? `${source}.${index}` : source
          return [`${place}.currency`, currency] as const
        })
      : [],
  )
}

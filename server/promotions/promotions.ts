import { resource } from '../kernel/declare/resource.ts'
import { choice, field, flag, integer, text, type Values } from '../kernel/shape/fields.ts'
import { indexed, walks } from '../kernel/shape/model.ts'
import { amountsField } from './amounts-field.ts'
import { authorFields, completeAuthors } from './authors.ts'
import { promotionEnvelope } from './envelope.ts'
import { completePeriod, periodFields } from './period.ts'

export const promotionTypes = [
  'fixed_discount',
  'percent_discount',
  'item_fixed_discount',
  'item_percent_discount',
  'x_for_y',
  'x_for_amount',
  'bundle_fixed_discount',
  'bundle_gift',
] as const

const fields = {
  name: text({ required: true, min: 1, max: 255, about: 'Shown to shoppers.', example: 'Winter sale' }),
  description: text({ required: true, about: 'What the promotion is about.', example: '20 % off coats' }),
  promotion_type: choice(promotionTypes, { required: true, about: 'The kind of discount.' }),
  enabled: flag({ default: false, about: 'Whether the promotion applies from its start to its end.' }),
  automatic: flag({
    default: false,
    about: 'Whether the promotion applies to every cart. Otherwise shoppers enter one of its codes.',
  }),
  ...periodFields,
  schema: field<Readonly<Record<string, unknown>>>(
    { type: 'object' },
    { required: true, about: 'Which items the promotion is for, and what it takes off.' },
  ),
  min_cart_value: amountsField('What a cart must cost before discounts, by currency.'),
  max_discount_value: amountsField('The most that the promotion takes off a cart, by currency.'),
  max_applications_per_cart: integer({
    min: 0,
    about: 'How often the promotion applies to one cart; 0 stands for no limit.',
  }),
  ...authorFields,
}

export type PromotionFields = typeof fields
export type PromotionValues = Values<PromotionFields>

/** A discount of one of eight types. */
export const promotions = resource({
  type: 'promotion',
  noun: ['promotion', 'promotions'],
  about: 'A standard promotion: a discount on a cart or on some of its items, automatic or by code.',
  path: '/v2/promotions',
  table: 'promotions',
  fields,
  filter: { ...walks, name: indexed('eq', 'like'), promotion_type: indexed('eq') },
  sort: ['created_at', 'id', 'updated_at'],
  most: { n: 1000, detail: (n) => `A store can have at most ${n} promotions.` },
  area: 'promotions',
  envelope: promotionEnvelope,
  refusedWith: 422,
  beforeWrite: (work, { values }) => {
    completePeriod(values)
    completeAuthors(work, values)
  },
})

import { resource } from '../../kernel/declare/resource.ts'
import { longText } from '../../kernel/query/long-text.ts'
import { choice, text } from '../../kernel/shape/fields.ts'
import { type Draft, indexed, walks } from '../../kernel/shape/model.ts'
import { ownerMeta } from '../../store/index.ts'
import { currenciesField } from './currencies-field.ts'
import { completeCurrencies } from './must-be-sellable.ts'
import { conflict, externalRef, pricebookEnvelope } from './pricebook-fields.ts'
import { pricebooks } from './pricebooks.ts'
import { modifierTypes } from './stored-prices.ts'

const fields = {
  name: text({
    required: true,
    min: 1,
    max: 255,
    about: 'The name by which modifiers of options refer to it; unique in the price book.',
    example: 'PriceL',
  }),
  modifier_type: choice(modifierTypes, {
    required: true,
    about: 'How it changes the price that a child inherits from its parent.',
    example: 'price_increment',
  }),
  currencies: currenciesField('The change, or the new price, by currency.'),
  external_ref: externalRef,
}

export const priceModifiers = resource({
  type: 'price-modifier',
  noun: ['price-modifier', 'price-modifiers'],
  about:
    'How the price of a child differs from that of its parent. Options of variations refer to it by its name.',
  path: '/pcm/pricebooks/:pricebook_id/modifiers',
  parent: () => pricebooks,
  table: 'price_modifiers',
  fields,
  filter: { ...walks, name: indexed('eq'), external_ref: longText('external_ref', 'eq') },
  sort: ['created_at', 'id', 'updated_at'],
  area: 'pricebooks',
  envelope: pricebookEnvelope,
  refusedWith: 422,
  closed: true,
  meta: ownerMeta,
  beforeWrite: (_work, { values }: Draft<typeof fields>) => {
    values.currencies = completeCurrencies(values.currencies, 'data.attributes.currencies')
  },
  constraints: {
    price_modifiers_name_key: {
      ...conflict,
      detail: 'The modifier already exists',
      source: 'data.attributes.name',
    },
  },
})

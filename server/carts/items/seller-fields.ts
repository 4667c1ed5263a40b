import { isSeller } from '../../kernel/auth/principal.ts'
import { Problem } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { group, list } from '../../kernel/shape/fields.ts'
import type { Work } from '../../kernel/work/context.ts'
import type { TaxItem } from '../contents/contents.ts'
import { type CustomAttributes, checkTypes, customAttributesField } from '../contents/custom-attributes.ts'
import { checkedTax, type TaxValues, taxesMax, taxFields } from '../item-parts/tax-values.ts'

export const itemAttributesField = customAttributesField(
  'Attributes of your own, with their types. Only sellers may set them. An update replaces all of them.',
)

/** What only a seller says about a new item. */
export const sellerFields = {
  custom_attributes: itemAttributesField,
  tax: list(group(taxFields, {}), {
    maxItems: taxesMax,
    about: 'The tax items of the item. Only sellers may set them. They replace those that the item has.',
  }),
}

interface SellerValues {
  readonly custom_attributes?: CustomAttributes | undefined
  readonly tax?: readonly TaxValues[] | undefined
}

/** Refuses (403) what only sellers may set. A shopper could change prices and taxes otherwise. */
export function checkSeller(work: Work, values: object, source: string, id?: string): void {
  if (isSeller(work.who)) return
  const { custom_attributes, tax } = values as SellerValues
  const name = custom_attributes !== undefined ? 'custom_attributes' : tax?.length ? 'tax' : undefined
  if (name === undefined) return
  const detail = `Only requests with a client_credentials token may set \`${name}\` of an item. Leave it out.`
  throw new Problem('forbidden', detail, {
    title: 'Unauthorised call',
    source: `${source}.${name}`,
    ...(id !== undefined && { meta: { id } }),
  })
}

/** The members of a line that a seller sets. */
export function sellerMembers({ custom_attributes, tax = [] }: SellerValues, source: string) {
  checkTypes(custom_attributes, `${source}.custom_attributes`)
  const taxes = tax.map((one, i): TaxItem => checkedTax({ id: newId(), ...one }, `${source}.tax.${i}`))
  return { taxes, ...(custom_attributes && { customAttributes: custom_attributes }) }
}

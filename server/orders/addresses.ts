import { missingField, Problem } from '../kernel/errors.ts'
import { type FieldOptions, group, text, type Values } from '../kernel/shape/fields.ts'

const line = (about: string, example: string) => text({ max: 1024, about, example })

const addressFields = {
  first_name: line('The first name of the person to deliver to.', 'Ada'),
  last_name: line('The last name of the person to deliver to.', 'Byron'),
  phone_number: line('The phone number for questions about the delivery.', '+44 20 7946 0123'),
  company_name: line('The company at this address.', 'Riverside Bakery'),
  line_1: line('Street and number.', '12 Mill Lane'),
  line_2: line('The flat, floor or building.', 'Unit 4'),
  city: line('City or town.', 'Ely'),
  county: line('County.', 'Cambridgeshire'),
  region: line('State, province or territory.', 'England'),
  postcode: line('Postal code.', 'CB7 4AA'),
  country: line('The country, as the shopper writes it: some clients send codes that no list has.', 'GB'),
  instructions: text({ max: 4096, about: 'Instructions for the delivery.', example: 'Ring twice.' }),
}

export type Address = Values<typeof addressFields>

export const addressExample = {
  ...{ first_name: 'Ada', last_name: 'Byron', line_1: '12 Mill Lane', city: 'Ely' },
  ...{ county: 'Cambridgeshire', postcode: 'CB7 4AA', country: 'GB' },
}

/** A billing or shipping address. It needs a name, a street, a postcode, a country, and a region or a county. */
export const address = <const O extends FieldOptions>(options: O) => group(addressFields, options)

const mandatory = ['first_name', 'last_name', 'line_1', 'postcode', 'country'] as const

/** Refuses an address that lacks a part. Forms send an empty text for an empty field, so it counts as absent. */
export function mustBeWhole(address: Address, source: string): void {
  const lacks = (name: keyof Address) => !address[name]?.trim()
  const missing = mandatory.find(lacks)
  if (missing) throw missingField(`${source}.${missing}`)
  if (lacks('region') && lacks('county')) {
    throw new Problem('invalid_field', `The address needs a region or a county (${source}.region).`, {
      source: `${source}.region`,
    })
  }
}

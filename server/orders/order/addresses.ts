import { missingField, Problem } from '../../kernel/errors.ts'
import { type FieldOptions, group, text, type Values } from '../../kernel/shape/fields.ts'
import { addressFields as personAddressFields } from '../../people/index.ts'

const { name: _, ...ofPerson } = personAddressFields

/** The fields of an address of a person, without the name that the owner gives it. Any text is a country. */
const addressFields = {
  ...ofPerson,
  country: text({
    max: 1024,
    nullable: true,
    about: 'The country, as the shopper writes it: some clients send codes that no list has.',
    example: 'GB',
  }),
}

export type Address = Values<typeof addressFields>

export const addressExample = {
  ...{ first_name: 'Ada', last_name: 'Byron', line_1: '12 Mill Lane', city: 'Ely' },
  ...{ county: 'Cambridgeshire', postcode: 'CB7 4AA', country: 'GB' },
}

/** A billing or shipping address. It needs a name, a street, a postcode, a country, and a region or a county. */
export const address = <const O extends FieldOptions>(options: O) => group(addressFields, options)

const mandatory = ['first_name', 'last_name', 'line_1', 'postcode', 'country'] as const

/** For the API document: the parts that `mustBeWhole` requires of every address. */
export const wholeAddress = { required: mandatory }

/** Refuses an address that lacks a part. Forms send an empty text for an empty field, so it counts as absent. */
export function mustBeWhole(address: Address, source: string): void {
  const lacks = (name: keyof Address) => !address[name]?.trim()
  const missing = mandatory.find(lacks)
  if (missing) throw missingField(`${source}.${missing}`)
  if (lacks('region') && lacks('county')) {
    throw new Problem('invalid_field', `${source} needs a region or a county.`, {
      source: `${source}.region`,
    })
  }
}

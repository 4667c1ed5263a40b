import { text } from '../../kernel/shape/fields.ts'
import type { FilterRule } from '../../kernel/shape/model.ts'

const line = <const About extends string, const Example extends string>(about: About, example: Example) =>
  text({ max: 1024, nullable: true, about, example })

/**
 * The fields of an address. A setting of the store says which of them are mandatory. A part that is null is
 * absent: responses do not show it.
 */
export const addressFields = {
  name: line('The name that the owner gives the address.', 'Warehouse'),
  first_name: line('The first name of the person to deliver to.', 'Ada'),
  last_name: line('The last name of the person to deliver to.', 'Byron'),
  phone_number: line('The phone number for questions about the delivery.', '+44 20 7946 0123'),
  company_name: line('The company at this address.', 'Riverside Bakery'),
  instructions: text({
    max: 4096,
    nullable: true,
    about: 'Instructions for the delivery.',
    example: 'Ring twice.',
  }),
  line_1: line('Street and number.', '12 Mill Lane'),
  line_2: line('The flat, floor or building.', 'Unit 4'),
  city: line('City or town.', 'Ely'),
  county: line('County.', 'Cambridgeshire'),
  region: line('State, province or territory.', 'England'),
  postcode: line('Postal code.', 'CB7 4AA'),
  country: text({
    // An empty string is what forms send for an empty field.
    pattern: /^([A-Za-z]{2})?$/,
    max: 2,
    nullable: true,
    upperCase: true,
    about: 'ISO 3166-1 alpha-2 code; stored in capitals.',
    example: 'GB',
  }),
}

/** The same values, without those that are null: some clients send all parts of an address, and null for no value. */
export const withoutNulls = <T extends object>(values: T) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)) as {
    [K in keyof T]: Exclude<T[K], null>
  }

/** Without columns and indexes, which would cost more than they save: an owner has few addresses. */
function member(name: string): FilterRule {
  const value = `(doc->>'${name}')`
  return {
    ops: ['eq', 'like', 'ilike', 'text'],
    type: 'text',
    where: (op, values, bind) => {
      const [first, ...others] = values.map(bind)
      if (op === 'in') return `${value} IN (${[first, ...others].join(', ')})`
      if (op === 'like') return `${value} LIKE ${first}`
      if (op === 'ilike') return `lower(${value}) LIKE lower(${first})`
      // All of the words, in any order.
      if (op === 'text') return `to_tsvector('simple', ${value}) @@ plainto_tsquery('simple', ${first})`
      return `${value} = ${first}`
    },
  }
}

/** Lists can be filtered by every field. */
export const addressFilter: Readonly<Record<string, FilterRule>> = Object.fromEntries(
  Object.keys(addressFields).map((name) => [name, member(name)]),
)

import { Problem } from '../../kernel/errors.ts'
import { group, integer, map } from '../../kernel/shape/fields.ts'
import { levelMax } from './movements.ts'
import { productId } from './product-of.ts'

/** The quantities of new stock, as clients of either dialect send them. */

const amount = { min: 0, max: levelMax } as const

const availableAt = group(
  { available: integer({ ...amount, required: true, about: 'The available quantity.' }) },
  {},
)

const quantities = {
  available: integer({ ...amount, about: 'The quantity without a location. The default is 0.' }),
  quantity: integer({ ...amount, about: 'Another name of `available`.' }),
  locations: map(availableAt, { maxKeys: 1000, about: 'The quantity in each location, by slug.' }),
  product_id: productId,
}

export const newStockFields = {
  ...quantities,
  attributes: group(quantities, { about: 'The same fields, for clients that use the form with locations.' }),
}

interface Quantities {
  readonly available?: number | undefined
  readonly quantity?: number | undefined
  readonly locations?: Readonly<Record<string, { readonly available: number }>> | undefined
}

export interface NewStock {
  readonly inNone: number | undefined
  readonly locations: Readonly<Record<string, { readonly available: number }>>
}

/** Names that clients of other APIs use for a quantity of stock. */
const stockWords = ['amount', 'count', 'in_stock', 'level', 'on_hand', 'stock', 'total']

/**
 * Reads the quantities of new stock. A body without any of ours but with another name for a quantity is refused,
 * because the product would be sold out. `data` is the body's member as it was sent.
 */
export function newStock(
  values: Quantities & { readonly attributes?: Quantities | undefined },
  data: StockBody,
): NewStock {
  const { available, quantity, locations } = {
    ...definedOnly(values),
    ...definedOnly(values.attributes ?? {}),
  }
  if (available !== undefined && quantity !== undefined && available !== quantity) {
    const source = values.attributes?.quantity === undefined ? 'data.quantity' : 'data.attributes.quantity'
    throw new Problem('invalid_field', `${source} must be equal to available; send only one of them.`, {
      source,
    })
  }
  const inNone = available ?? quantity
  if (inNone === undefined && !locations) refuseStock(data, stockWords, () => false, howToCreate)
  return { inNone, locations: locations ?? {} }
}

const howToCreate =
  'is not a field of stock; send `available`, or `locations` with an `available` for each slug.'
const howToUpdate = 'cannot be set here; send `locations`, or create a transaction.'

/** Refuses quantities in an update without locations that differ from the stock's: they would be ignored. */
export const refuseOtherStock = (data: StockBody, shown: StockBody): void =>
  refuseStock(
    data,
    ['available', 'quantity', ...stockWords],
    (name, value) => shown[name] === value,
    howToUpdate,
  )

type StockBody = Readonly<Record<string, unknown>>

const definedOnly = (values: Quantities): Quantities =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))

function refuseStock(
  data: StockBody,
  words: readonly string[],
  mayStay: (name: string, value: unknown) => boolean,
  why: string,
): void {
  for (const [path, members] of [
    ['data', data],
    ['data.attributes', (data.attributes ?? {}) as StockBody],
  ] as const) {
    const word = words.find((name) => members[name] != null && !mayStay(name, members[name]))
    if (word) throw new Problem('invalid_field', `${path}.${word} ${why}`, { source: `${path}.${word}` })
  }
}

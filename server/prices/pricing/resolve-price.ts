import {
  type ByKey,
  own,
  type StoredCurrencies,
  type StoredModifier,
  type StoredPrice,
} from '../pricebooks/stored-prices.ts'
import { type Ladder, ladderOf, modifyLadder, unitAmount } from './ladder.ts'
import { saleInForce } from './sale-in-force.ts'
import type { PriceTrace } from './shown-fields.ts'

/** The prices of a product in one price book. */
export interface BookPrices {
  readonly pricebookId: string
  /** For the product's own SKU. */
  readonly price?: StoredPrice | undefined
  /** For the SKU of the parent, where the product is a child. */
  readonly parentPrice?: StoredPrice | undefined
  /** The price modifiers of the book, by name. */
  readonly modifiers?: ByKey<StoredModifier> | undefined
}

export interface PriceQuery {
  /** Strongest first. */
  readonly books: readonly BookPrices[]
  /** The price modifiers that the options of a child name, in the order of its variations. */
  readonly modifierNames?: readonly string[] | undefined
  readonly at: Date
  /** The bundles that the product is priced as an option of. */
  readonly bundleIds?: readonly string[] | undefined
}

export interface PriceAmount {
  readonly amount: number
  readonly includes_tax: boolean
}

/** By the code of the currency. */
export type PriceAmounts = ByKey<PriceAmount>

interface ResolvedTier {
  readonly minimum_quantity: number
  readonly price: PriceAmounts
  /** The unit price without the sale. */
  readonly original?: PriceAmounts
}

export interface ResolvedPrice {
  readonly pricebook_id: string
  readonly currencies: PriceAmounts
  /** The price without the sale, in the currencies of the sale. */
  readonly original?: PriceAmounts
  readonly tiers?: ByKey<ResolvedTier>
  /** The name of the sale. */
  readonly sale_id?: string
  /** Absent where the sale has no end. */
  readonly sale_expires?: string
  /** The modifiers that changed the price, in order. */
  readonly price_modifiers?: readonly ({ readonly name: string } & StoredModifier)[]
  readonly shopper_attributes?: ByKey<string | null>
}

interface Resolution {
  /** Undefined where there is no price, so that the product cannot be bought. */
  readonly price: ResolvedPrice | undefined
  readonly trace: PriceTrace
}

type Ladders = ReadonlyMap<string, Ladder>

const laddersOf = (currencies: StoredCurrencies = {}): Ladders =>
  new Map(Object.entries(currencies).map(([code, amount]) => [code, ladderOf(amount)]))

/** Resolves the price of a SKU at an instant. Only here do price books, sales, modifiers and tiers come together. */
export function resolvePrice({ books, modifierNames = [], at, bundleIds = [] }: PriceQuery): Resolution {
  const chosen = books.find(({ price, parentPrice }) => price ?? parentPrice)
  const traced = { at: at.toISOString(), pricebooks: tracedBooks(books, chosen) }
  const stored = chosen?.price ?? chosen?.parentPrice
  if (!chosen || !stored) {
    return { price: undefined, trace: { ...traced, sales: [], price_modifiers: [], currencies: {} } }
  }
  const { chosen: sale, traces: sales } = saleInForce(stored.sales, at.getTime(), bundleIds)
  const base = laddersOf(stored.currencies)
  const onSale = laddersOf(sale?.sale.currencies)
  const named = modifierNames.map((name) => ({ name, modifier: own(chosen.modifiers, name) }))
  const effective = modify(sale ? new Map([...base, ...onSale]) : base, named, !chosen.price)
  const original = sale ? modify(base, named, !chosen.price).ladders : effective.ladders
  const modifiers = effective.applied
  const price: ResolvedPrice = {
    pricebook_id: chosen.pricebookId,
    currencies: amountsOf(effective.ladders),
    ...(sale && { original: amountsOf(new Map([...original].filter(([code]) => onSale.has(code)))) }),
    ...tiersOf(effective.ladders, original, onSale),
    ...(sale && { sale_id: sale.name }),
    ...(sale && Number.isFinite(sale.to) && { sale_expires: new Date(sale.to).toISOString() }),
    ...(modifiers.length && { price_modifiers: modifiers }),
    ...(stored.shopper_attributes && { shopper_attributes: stored.shopper_attributes }),
  }
  const currencies = tracedCurrencies(base, onSale)
  return { price, trace: { ...traced, sales, price_modifiers: effective.traces, currencies } }
}

function tracedBooks(books: readonly BookPrices[], chosen: BookPrices | undefined): PriceTrace['pricebooks'] {
  return books.map((book) => {
    const { pricebookId: pricebook_id, price, parentPrice } = book
    if (!price && !parentPrice) return { pricebook_id, reason: 'no price' }
    const reason = book === chosen ? 'chosen' : 'a stronger price book has a price'
    return { pricebook_id, reason, price: price ? 'own' : 'parent' }
  })
}

const amountsOf = (ladders: Ladders): PriceAmounts =>
  Object.fromEntries([...ladders].map(([code, { amount, includes_tax }]) => [code, { amount, includes_tax }]))

interface NamedModifier {
  readonly name: string
  readonly modifier: StoredModifier | undefined
}

/** Applies the modifiers to the ladders, one after the other. Only inherited prices are modified. */
function modify(ladders: Ladders, modifiers: readonly NamedModifier[], inherited: boolean) {
  const applied: ({ name: string } & StoredModifier)[] = []
  let current = ladders
  const traces = modifiers.map(({ name, modifier }): PriceTrace['price_modifiers'][number] => {
    if (!inherited) return { name, reason: 'the product has a price of its own' }
    if (!modifier) return { name, reason: 'not in the price book' }
    const { modifier_type, currencies } = modifier
    if (![...current.keys()].some((code) => own(currencies, code))) {
      return { name, reason: 'no currency of the price' }
    }
    const next = [...current].map(([code, ladder]) => {
      const by = own(currencies, code)
      return [code, by ? modifyLadder(ladder, modifier_type, ladderOf(by)) : ladder] as const
    })
    current = new Map(next)
    applied.push({ name, modifier_type, currencies })
    const leaves = Object.fromEntries(next.map(([code, { amount }]) => [code, amount]))
    return { name, reason: 'applied', leaves }
  })
  return { ladders: current, applied, traces }
}

/** The tiers of all currencies, by name. */
function tiersOf(effective: Ladders, original: Ladders, onSale: Ladders): Pick<ResolvedPrice, 'tiers'> {
  const rungs = [...effective].flatMap(([code, { tiers, includes_tax }]) =>
    tiers.map((rung) => ({ ...rung, code, includes_tax })),
  )
  if (!rungs.length) return {}
  const named = new Map<string, { minimum_quantity: number; rungs: typeof rungs }>()
  for (const rung of rungs.sort((one, other) => one.minimum_quantity - other.minimum_quantity)) {
    const { name, minimum_quantity } = rung
    const existing = [...named].find(
      ([, one]) => one.rungs[0]?.name === name && one.minimum_quantity === minimum_quantity,
    )
    if (existing) existing[1].rungs.push(rung)
    // Two currencies may have tiers of the same name that begin at different quantities, one from a sale and one from
    // the price.
    else named.set(freeName(named, name, minimum_quantity), { minimum_quantity, rungs: [rung] })
  }
  const withoutSale = (code: string, quantity: number): [string, PriceAmount][] => {
    const ladder = onSale.has(code) ? original.get(code) : undefined
    return ladder ? [[code, { amount: unitAmount(ladder, quantity), includes_tax: ladder.includes_tax }]] : []
  }
  const tiers = [...named].map(([name, { minimum_quantity, rungs }]) => {
    const price = rungs.map(({ code, amount, includes_tax }) => [code, { amount, includes_tax }])
    const before = rungs.flatMap(({ code }) => withoutSale(code, minimum_quantity))
    const tier: ResolvedTier = {
      minimum_quantity,
      price: Object.fromEntries(price),
      ...(before.length && { original: Object.fromEntries(before) }),
    }
    return [name, tier]
  })
  return { tiers: Object.fromEntries(tiers) }
}

function freeName(named: ReadonlyMap<string, unknown>, name: string, quantity: number): string {
  let free = name
  while (named.has(free)) free = `${free} (${quantity})`
  return free
}

function tracedCurrencies(base: Ladders, onSale: Ladders): PriceTrace['currencies'] {
  const traced = [...new Map([...base, ...onSale])].map(([code, { tiers }]) => {
    const sale = onSale.has(code)
    const own = tiers.length > 0
    const lost = sale && !own && (base.get(code)?.tiers.length ?? 0) > 0
    const from = sale ? 'sale' : 'price'
    return [
      code,
      { from, tiers: lost ? 'not of the price, as it is on sale' : own ? `of the ${from}` : 'none' },
    ]
  })
  return Object.fromEntries(traced)
}

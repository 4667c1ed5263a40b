import type { ByKey, StoredSale } from '../pricebooks/stored-prices.ts'
import type { PriceQuery } from './resolve-price.ts'
import type { PriceTrace } from './shown-fields.ts'

/** Why a sale applied, or did not. */
type SaleTrace = PriceTrace['sales'][number]
type SaleReason = SaleTrace['reason']

/** A sale and the instants at which it begins and ends. */
interface SaleSpan {
  readonly name: string
  readonly sale: StoredSale
  readonly from: number
  readonly to: number
}

const instantOf = (time: string | null | undefined, open: number): number => (time ? Date.parse(time) : open)

const saleSpanOf = ([name, sale]: readonly [string, StoredSale]): SaleSpan => ({
  name,
  sale,
  from: instantOf(sale.schedule?.valid_from, Number.NEGATIVE_INFINITY),
  to: instantOf(sale.schedule?.valid_to, Number.POSITIVE_INFINITY),
})

/** Whether a sale applies to a product by itself, or as an option of these bundles. */
function countsFor({ bundle_ids }: StoredSale, bundleIds: readonly string[]): boolean {
  return !bundle_ids?.length || bundle_ids.some((id) => bundleIds.includes(id))
}

function excluded(
  { sale, from, to }: SaleSpan,
  at: number,
  bundleIds: readonly string[],
): SaleReason | undefined {
  if (!Object.keys(sale.currencies ?? {}).length) return 'it has no amounts'
  if (!countsFor(sale, bundleIds)) return 'only in bundles that this is not part of'
  if (at < from) return 'not begun'
  return at >= to ? 'over' : undefined
}

const isPermanent = ({ from, to }: SaleSpan): boolean => !Number.isFinite(from) && !Number.isFinite(to)

/**
 * Sorts sales in force: the shorter one first, a sale with a schedule before one without, then the one that began
 * later.
 */
function precedence(one: SaleSpan, other: SaleSpan): number {
  const [length, otherLength] = [one.to - one.from, other.to - other.from]
  if (length !== otherLength) return length < otherLength ? -1 : 1
  // Neither ends. A sale without a schedule is the longest.
  if (isPermanent(one) !== isPermanent(other)) return isPermanent(one) ? 1 : -1
  if (one.from !== other.from) return one.from > other.from ? -1 : 1
  return one.name < other.name ? -1 : 1
}

/** Finds the sale that replaces the amounts of a price at an instant, and says of each sale why it applies or not. */
export function saleInForce(
  sales: ByKey<StoredSale> | undefined,
  at: number,
  bundleIds: readonly string[],
): { readonly chosen: SaleSpan | undefined; readonly traces: readonly SaleTrace[] } {
  if (!sales) return { chosen: undefined, traces: [] }
  const all = Object.entries(sales).map(saleSpanOf)
  const judged = all.map((one) => ({ one, reason: excluded(one, at, bundleIds) }))
  const [chosen] = judged.flatMap(({ one, reason }) => (reason ? [] : [one])).sort(precedence)
  const traces = judged.map(({ one, reason }) =>
    traceOf(one, reason ?? (one === chosen ? 'in force' : 'a shorter sale is in force')),
  )
  return { chosen, traces }
}

function traceOf({ name, from, to }: SaleSpan, reason: SaleReason): SaleTrace {
  return {
    ...{ name, reason },
    ...(Number.isFinite(from) && { valid_from: new Date(from).toISOString() }),
    ...(Number.isFinite(to) && { valid_to: new Date(to).toISOString() }),
  }
}

/** The instants at which the result of `resolvePrice` changes because a sale begins or ends, in order. */
export function priceChangesAt({ books, bundleIds = [] }: Omit<PriceQuery, 'at'>): readonly Date[] {
  const chosen = books.find(({ price, parentPrice }) => price ?? parentPrice)
  const sales = (chosen?.price ?? chosen?.parentPrice)?.sales
  if (!sales) return []
  const inForce = (at: number) => saleInForce(sales, at, bundleIds).chosen?.name
  const bounds = Object.entries(sales).flatMap((sale) => {
    const { from, to } = saleSpanOf(sale)
    return [from, to].filter(Number.isFinite)
  })
  let before = inForce(Number.NEGATIVE_INFINITY)
  return [...new Set(bounds)]
    .sort((one, other) => one - other)
    .filter((at) => {
      const after = inForce(at)
      const changes = after !== before
      before = after
      return changes
    })
    .map((at) => new Date(at))
}

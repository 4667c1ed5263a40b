import type {
  AttributeTarget,
  StandardDocument,
  TargetConditions,
} from '../../../../server/promotions/discounts/standard/standard-document.ts'
import type { DiscountLine } from '../../../../server/promotions/index.ts'
import {
  type Fraction,
  fraction,
  least,
  lesser,
  nearest,
  sumOf,
  times,
  written,
} from '../../../builders/prices/fractions.ts'
import { type BundleGroup, lackIn, makeBundle, makeBundles } from './bundles.ts'
import {
  atMost,
  costOf,
  freeUnits,
  outdone,
  type Refusal,
  refused,
  type SlowCart,
  type SlowLine,
  shareOut,
  type Taking,
  type Unit,
} from './cart.ts'

/** Standard promotions, as chapter 9 of docs/money.md has them. */

/** What an application needs to know of the code: how many units it pays for, and whether it was entered again. */
export interface Payer {
  readonly uses: number
  readonly isAutomatic: boolean
  readonly isRepeated: boolean
}

export interface MissingGifts {
  readonly gifts: readonly { readonly product: string; readonly quantity: number }[]
  readonly isAdded: boolean
  readonly isFree: boolean
}

export type StandardOutcome = (Taking | Refusal) & { readonly missing?: readonly MissingGifts[] }

export const isOfCart = ({ promotion_type }: StandardDocument) =>
  promotion_type === 'fixed_discount' || promotion_type === 'percent_discount'

export function applyStandard(
  document: StandardDocument,
  { cart, lines }: SlowCart,
  payer: Payer,
  most: bigint | undefined,
): StandardOutcome {
  const found = lines.filter(({ item, units }) => units.length > 0 && isFor(document, item))
  if (!found.length) return refused('no_line_matches')
  const applications = document.max_applications_per_cart || Number.POSITIVE_INFINITY
  const schema = document.schema as { readonly currencies?: readonly { currency: string; amount?: number }[] }
  const amount = BigInt(schema.currencies?.find(({ currency }) => currency === cart.currency)?.amount ?? 0)
  switch (document.promotion_type) {
    case 'fixed_discount':
      return discountCart(found, payer, () => fraction(amount), most)
    case 'percent_discount':
      return discountCart(found, payer, (sum) => times(sum, percentOf(document, cart.currency)), most)
    case 'item_fixed_discount':
      return discountUnits(found, payer, applications, (price, units) => least(price, amount) * BigInt(units))
    case 'item_percent_discount': {
      const rate = percentOf(document, cart.currency)
      const off = (price: bigint, units: number) => nearest(times(fraction(price * BigInt(units)), rate))
      return discountUnits(found, payer, applications, off)
    }
    case 'x_for_y': {
      const { x, y } = document.schema
      const saving = (price: bigint) => price * BigInt(x - y)
      return discountSets(found, payer, applications, { size: x, uses: x - y, saving })
    }
    case 'x_for_amount': {
      const { x } = document.schema
      const saving = (price: bigint) => price * BigInt(x) - amount
      return discountSets(found, payer, applications, { size: x, uses: x, saving })
    }
    case 'bundle_fixed_discount':
      return discountBundles(document, found, payer, applications, amount, most)
    case 'bundle_gift':
      return giveGifts(document, found, lines, payer, applications)
  }
}

function percentOf(document: StandardDocument, inCurrency: string): Fraction {
  const { percent, currencies } = document.schema as {
    readonly percent?: number
    readonly currencies?: readonly { currency: string; percentage?: number }[]
  }
  const rate = percent ?? currencies?.find(({ currency }) => currency === inCurrency)?.percentage ?? 0
  return times(written(rate), fraction(1n, 100n))
}

/**
 * "With 3 uses, 3 of 5 units. For promotions of the cart, every unit of its lines counts." Rounded once for the sum,
 * which is shared in proportion to what is left.
 */
function discountCart(
  lines: readonly SlowLine[],
  { uses }: Payer,
  toAmount: (sum: Fraction) => Fraction,
  most: bigint | undefined,
): Taking | Refusal {
  let paid = 0
  const parts = lines.map(({ left, units }) => {
    const count = Math.min(units.length, uses - paid)
    paid += count
    return fraction(left * BigInt(count), BigInt(units.length))
  })
  if (lines.every(({ left }) => left === 0n)) return refused('nothing_left')
  const all = sumOf(parts)
  const amount = atMost(nearest(lesser(toAmount(all), all)), most)
  if (amount === 0n) return refused('no_saving')
  const shares = shareOut(amount, parts)
  return {
    offs: lines.map((line, i) => ({ line, amount: shares[i] as bigint })),
    isOfCart: true,
    applications: paid,
  }
}

/** Counts for each product. */
function countdown(applications: number) {
  const used = new Map<string, number>()
  const key = ({ item }: SlowLine) => item.productId ?? item.sku ?? item.id
  return {
    leftOf: (line: SlowLine) => applications - (used.get(key(line)) ?? 0),
    use: (line: SlowLine, count: number) => used.set(key(line), (used.get(key(line)) ?? 0) + count),
  }
}

/** "A unit gets at most one of them." "300 off each of 4 × 200 they are 800." */
function discountUnits(
  lines: readonly SlowLine[],
  { uses }: Payer,
  applications: number,
  off: (price: bigint, units: number) => bigint,
): Taking | Refusal {
  if (lines.every((line) => !freeUnits(line).length)) return outdone(lines)
  if (lines.every(({ item }) => item.unitPrice === 0)) return refused('nothing_left')
  const products = countdown(applications)
  const taken: Unit[] = []
  const offs = lines.flatMap((line) => {
    const count = Math.min(freeUnits(line).length, products.leftOf(line), uses - taken.length)
    const amount = off(BigInt(line.item.unitPrice), count)
    if (amount === 0n) return []
    products.use(line, count)
    taken.push(...freeUnits(line).slice(0, count))
    return { line, amount }
  })
  if (!offs.length) return refused('no_saving')
  return { offs, isOfCart: false, applications: taken.length, units: taken }
}

interface SetOfUnits {
  readonly size: number
  readonly uses: number
  readonly saving: (price: bigint) => bigint
}

/** "Sets are made of units of one line." */
function discountSets(
  lines: readonly SlowLine[],
  { uses }: Payer,
  applications: number,
  { size, uses: usesOfSet, saving }: SetOfUnits,
): Taking | Refusal {
  if (lines.every(({ units }) => units.length < size)) {
    return refused('incomplete', {
      needs: size,
      has: Math.max(...lines.map((line) => freeUnits(line).length)),
    })
  }
  if (lines.every((line) => freeUnits(line).length < size)) return outdone(lines)
  if (lines.every(({ item }) => item.unitPrice === 0)) return refused('nothing_left')
  const products = countdown(applications)
  const taken: Unit[] = []
  let paid = 0
  const offs = lines.flatMap((line) => {
    const savingOfSet = saving(BigInt(line.item.unitPrice))
    if (savingOfSet <= 0n) return []
    const free = freeUnits(line)
    let amount = 0n
    while (free.length >= size && products.leftOf(line) >= 1 && uses - paid >= usesOfSet) {
      amount += savingOfSet
      products.use(line, 1)
      paid += usesOfSet
      taken.push(...free.splice(0, size))
    }
    return amount ? { line, amount } : []
  })
  return offs.length ? { offs, isOfCart: false, applications: paid, units: taken } : refused('no_saving')
}

type Requirements = {
  readonly requirements: readonly { readonly targets: readonly string[]; quantity: number }[]
}

const toGroups = ({ requirements }: Requirements, lines: readonly SlowLine[]): BundleGroup[] =>
  requirements.map(({ targets, quantity }) => ({
    quantity,
    lines: lines.filter(({ item }) => isTarget(targets, item)),
  }))

/** Why there is no set: are there units at all, and would there be one with those that others have? */
function refuseSet(groups: readonly BundleGroup[], lines: readonly SlowLine[]): Refusal {
  if (groups.every((group) => !group.lines.length)) return refused('no_line_matches')
  const all = new Set(lines.flatMap(({ units }) => units))
  if (makeBundle(groups, all)) return outdone(groups.flatMap((group) => group.lines))
  const { group, ...values } = lackIn(groups, new Set(lines.flatMap(freeUnits)))
  return refused('incomplete', { ...values, group: group + 1 })
}

/** "A set or bundle that costs more than its units is passed over", and no limit counts it. */
function discountBundles(
  { schema }: StandardDocument & { readonly promotion_type: 'bundle_fixed_discount' },
  lines: readonly SlowLine[],
  { uses }: Payer,
  applications: number,
  price: bigint,
  most: bigint | undefined,
): Taking | Refusal {
  const groups = toGroups(schema, lines)
  const all = makeBundles(groups, lines.flatMap(freeUnits))
  if (!all.length) return refuseSet(groups, lines)
  const cheaper = all.filter((bundle) => costOf(bundle) > price).slice(0, applications)
  const bundles = cheaper.filter((bundle, i) => bundle.length * (i + 1) <= uses)
  if (!bundles.length) return refused('no_saving')
  const units = bundles.flat()
  const saving = costOf(units) - price * BigInt(bundles.length)
  const discounted = linesOf(lines, units)
  const weights = discounted.map((line) => fraction(costOf(units.filter((unit) => unit.line === line))))
  const shares = shareOut(atMost(saving, most), weights)
  const offs = discounted.map((line, i) => ({ line, amount: shares[i] as bigint }))
  return { offs, isOfCart: false, applications: units.length, units }
}

/** The lines of some units, in the order in which they were added to the cart. */
const linesOf = (lines: readonly SlowLine[], units: readonly Unit[]) =>
  lines.filter((line) => units.some((unit) => unit.line === line))

/** "Two of A bring a gift." A set brings one unit of each gift, and it is a set only if it brings one. */
function giveGifts(
  { id, schema, ...document }: StandardDocument & { readonly promotion_type: 'bundle_gift' },
  lines: readonly SlowLine[],
  all: readonly SlowLine[],
  { uses, isAutomatic, isRepeated }: Payer,
  applications: number,
): StandardOutcome {
  const groups = toGroups(schema, lines)
  const isAdding = schema.auto_add_free_gift ?? false
  // "By code, an added gift has its price until the code is entered again."
  const isFree = isAutomatic || isRepeated
  const free = new Set(lines.flatMap(freeUnits))
  const [given, taken]: [Unit[], Unit[]] = [[], []]
  const ofAdded: Unit[] = []
  const missing = schema.gifts.map((product) => ({ product, quantity: 0 }))
  let isWaiting = false
  let sets = 0
  for (; sets < applications; sets++) {
    const bought = makeBundle(groups, free)
    if (!bought) break
    if ((sets + 1) * schema.gifts.length > uses) {
      if (sets) break
      return refused('code_spent', { needs: schema.gifts.length, has: uses })
    }
    for (const unit of bought) free.delete(unit)
    let isSet = false
    for (const gift of missing) {
      const held = lines.filter(({ item }) => isTarget([gift.product], item)).flatMap(({ units }) => units)
      const own = held.find((unit) => free.has(unit))
      const added = all
        .filter(({ item }) => isFor({ id, schema, ...document }, item) && isTarget([gift.product], item))
        .flatMap((line) => line.added)
        .find(({ promotion }) => promotion === undefined)
      if (own) {
        free.delete(own)
        given.push(own)
        taken.push(own)
        isSet = true
      } else if (isAdding && added) {
        added.promotion = id
        if (isFree) ofAdded.push(added)
        else isWaiting = true
        isSet ||= isFree
      } else gift.quantity++
    }
    if (isSet) taken.push(...bought)
  }
  if (!sets) return refuseSet(groups, lines)
  const gifts = missing.filter(({ quantity }) => quantity > 0)
  const report = gifts.length ? { missing: [{ gifts, isAdded: isAdding, isFree }] } : {}
  const offsOf = (units: readonly Unit[]) =>
    linesOf(all, units).map((line) => ({ line, amount: costOf(units.filter((unit) => unit.line === line)) }))
  const isNothing = [...offsOf(given), ...offsOf(ofAdded)].every(({ amount }) => amount === 0n)
  if (isNothing) {
    return {
      ...(gifts.length
        ? refused('gift_missing', { gifts })
        : refused(isWaiting ? 'enter_code_again' : 'nothing_left')),
      ...report,
    }
  }
  const applied = given.length + ofAdded.length
  return {
    offs: offsOf(given),
    ofAdded: offsOf(ofAdded),
    isOfCart: false,
    applications: applied,
    units: taken,
    ...report,
  }
}

/** Whether a line takes part. "Custom items take part in promotions of the cart only." */
function isFor(document: StandardDocument, item: DiscountLine): boolean {
  const schema = document.schema as Record<string, unknown>
  const catalogs = (schema.target_catalogs ?? document.target_catalogs) as readonly string[] | undefined
  if (catalogs && !catalogs.includes(item.catalogId ?? '')) return false
  if (!isOfCart(document) && item.kind === 'custom_item') return false
  const exclude = (schema.exclude ?? {}) as {
    readonly targets?: readonly string[]
    readonly nodes?: readonly string[]
    readonly attributes?: readonly AttributeTarget[]
    readonly conditions?: TargetConditions
  }
  const { targets, nodes, attributes, conditions } = exclude
  if (isAny(targets, nodes, attributes, conditions, item)) return false
  if (isOfCart(document) || 'requirements' in schema) return true
  const to = schema as {
    readonly targets?: readonly string[]
    readonly target_nodes?: readonly string[]
    readonly target_attributes?: readonly AttributeTarget[]
    readonly target_conditions?: TargetConditions
  }
  return isAny(to.targets, to.target_nodes, to.target_attributes, to.target_conditions, item)
}

const isTarget = (targets: readonly string[], { sku, productId }: DiscountLine) =>
  targets.includes('all') || targets.includes(sku ?? '') || targets.includes(productId ?? '')

function isAny(
  targets: readonly string[] = [],
  nodes: readonly string[] = [],
  attributes: readonly AttributeTarget[] = [],
  conditions: TargetConditions = {},
  item: DiscountLine,
): boolean {
  const has = (target: AttributeTarget) =>
    hasAttribute('attribute' in target ? target.attribute : target, item)
  const inNodes = (ids: readonly string[]) => ids.some((id) => item.nodeIds.includes(id))
  return (
    isTarget(targets, item) ||
    inNodes(nodes) ||
    attributes.some(has) ||
    (conditions.or ?? []).some(
      ({ and = [] }) =>
        and.length > 0 && and.every((one) => ('node' in one ? inNodes(one.node.values ?? []) : has(one))),
    )
  )
}

function hasAttribute(
  { template, field, value, values }: { template: string; field: string; value?: unknown; values?: unknown },
  item: DiscountLine,
) {
  const accepted = [value ?? values].flat()
  const has = [item.attributes[template]?.[field] ?? []].flat()
  return has.some((one) => accepted.map(String).includes(String(one)))
}

/** "The uses that one more unit, set or bundle takes." */
export function usesOfNext({ promotion_type, schema }: StandardDocument, uses: number): number {
  switch (promotion_type) {
    case 'fixed_discount':
    case 'percent_discount':
      return uses + 1
    case 'x_for_y':
      return schema.x - schema.y
    case 'x_for_amount':
      return schema.x
    case 'bundle_fixed_discount':
      return schema.requirements.reduce((all, { quantity }) => all + quantity, 0)
    default:
      return 1
  }
}

import type {
  RuleAction,
  RuleDocument,
  RuleNode,
} from '../../../../server/promotions/discounts/rules/rule-document.ts'
import type { DiscountLine } from '../../../../server/promotions/index.ts'
import {
  compare,
  type Fraction,
  floor,
  fraction,
  isLess,
  lesser,
  minus,
  nearest,
  sumOf,
  times,
  written,
} from '../../../builders/prices/fractions.ts'
import { lackIn, makeBundles } from './bundles.ts'
import {
  atMost,
  averagePrice,
  cut,
  cutTaking,
  isTaking,
  type Off,
  type Refusal,
  refused,
  type SlowCart,
  type SlowGroup,
  type SlowLine,
  shareOut,
  type Taking,
} from './cart.ts'
import { type Finding, findAll, type Scope, toBundleGroups } from './conditions.ts'
import type { MissingGifts } from './standard.ts'

/** The actions of rule promotions, as chapter 9 of docs/money.md has them. */

export interface ShippingOff {
  readonly group: SlowGroup
  readonly amount: bigint
}

/** What an action takes or why it takes nothing, and the products that the cart lacks for it. */
export type ActionOutcome = (Refusal | (Taking & { readonly shipping?: readonly ShippingOff[] })) & {
  readonly missing?: readonly MissingGifts[]
}

const zero = fraction(0n)
const whole = (count: number) => fraction(BigInt(count))

/** "With catalogs, items of others and custom items never take part." */
export function scopeOf({ rule_set: { catalog_ids } }: RuleDocument, cart: SlowCart): Scope {
  const isIn = ({ kind, catalogId = '' }: DiscountLine) =>
    !catalog_ids?.length || (kind !== 'custom_item' && catalog_ids.includes(catalogId))
  return { cart, lines: cart.lines.filter(({ item, units }) => units.length > 0 && isIn(item)) }
}

export function act(
  action: RuleAction,
  { automatic, rule_set: { rules } }: RuleDocument,
  found: Finding,
  scope: Scope,
  uses: number,
  path: string,
): ActionOutcome {
  const spent = refused('code_spent', { needs: 1, has: uses })
  if (action.strategy === 'shipping_discount')
    return discountShipping(action, scope, uses < 1 ? spent : undefined)
  const condition = findAll(action.condition, scope, `${path}.condition`)
  const items = (automatic && action.limitations?.items) || {}
  const adds =
    action.strategy === 'item_discount' && (items.auto_add || action.limitations?.items?.show_suggestions)
  if (!condition.isMet && !adds) return refused('condition_unmet', condition.unmet)
  switch (action.strategy) {
    case 'cart_discount':
      return discountCart(action, condition.lines ?? scope.lines, scope, uses < 1 ? spent : undefined)
    case 'item_discount': {
      const lines = condition.isMet ? (condition.lines ?? found.lines ?? scope.lines) : []
      const taken = discountItems(action, lines, uses, scope)
      return adds ? addProducts(action, lines, scope, items.auto_add ?? false, taken) : taken
    }
    default:
      return discountBundles(action, rules, scope, uses)
  }
}

/** "A rule with `auto_add` adds `max_quantity` units, or one, of each product that its condition names." */
function addProducts(
  action: RuleAction,
  lines: readonly SlowLine[],
  { cart }: Scope,
  isAdded: boolean,
  taken: Taking | Refusal,
): ActionOutcome {
  const [{ args = [] } = { args: [] }] = [action.condition ?? []].flat() as readonly RuleNode[]
  const products = (args as readonly { readonly skus: readonly string[] }[]).flatMap(({ skus }) => skus)
  const ofAdded: Off[] = []
  const gifts = products.flatMap((product) => {
    const isOf = ({ item }: SlowLine) => item.kind !== 'custom_item' && item.sku === product
    let lacking = action.limitations?.max_quantity ?? 1
    for (const _unit of lines.filter(isOf).flatMap(({ units }) => units)) lacking--
    for (const unit of isAdded ? cart.lines.filter(isOf).flatMap(({ added }) => added) : []) {
      if (unit.promotion !== undefined || lacking <= 0) continue
      unit.promotion = 'added'
      lacking--
      const before = ofAdded.findIndex(({ line }) => line === unit.line)
      const amount = BigInt(unit.line.item.unitPrice) + (ofAdded[before]?.amount ?? 0n)
      ofAdded.splice(before < 0 ? ofAdded.length : before, 1, { line: unit.line, amount })
    }
    return lacking > 0 ? [{ product, quantity: lacking }] : []
  })
  const missing = gifts.length ? { missing: [{ gifts, isAdded, isFree: true }] } : {}
  const own = isTaking(taken) ? taken : { offs: [], isOfCart: false, applications: 0 }
  const both = taking(action, { ...own, ofAdded }, cart)
  if (isTaking(both)) return { ...both, ...missing }
  return gifts.length
    ? { ...refused('gift_missing', { gifts }), ...missing }
    : ofAdded.length
      ? refused('no_saving')
      : (taken as Refusal)
}

/** What a discount makes of a price that is for some units, or bundles. */
function offOf([kind, first]: RuleAction['args'], price: Fraction, count: number): Fraction {
  const amount = written(first)
  if (kind === 'percent') return times(price, times(amount, fraction(1n, 100n)))
  const forAll = times(amount, whole(count))
  if (kind === 'fixed') return lesser(forAll, price)
  return isLess(forAll, price) ? minus(price, forAll) : zero
}

const ceiling = ({ limitations }: RuleAction) =>
  limitations?.max_discount === undefined ? undefined : BigInt(limitations.max_discount)

const taking = (action: RuleAction, taken: Taking, cart: SlowCart) => cutTaking(cart, taken, ceiling(action))

function discountCart(
  action: RuleAction,
  lines: readonly SlowLine[],
  { cart }: Scope,
  spent: Refusal | undefined,
): Taking | Refusal {
  if (!lines.length) return refused('no_line_matches')
  if (spent) return spent
  const weights = lines.map(({ left }) => fraction(left))
  const all = sumOf(weights)
  if (all.above === 0n) return refused('nothing_left')
  const shares = shareOut(atMost(nearest(offOf(action.args, all, 1)), ceiling(action)), weights)
  const offs = lines.map((line, i) => ({ line, amount: shares[i] as bigint }))
  return taking(action, { offs, isOfCart: true, applications: 1 }, cart)
}

/** "Lines by price, `max_items`, `max_quantity` of each line, `max_units`, the discount, `max_discount`." */
function discountItems(
  action: RuleAction,
  found: readonly SlowLine[],
  uses: number,
  { cart }: Scope,
): Taking | Refusal {
  if (!found.length) return refused('no_line_matches')
  const { max_quantity = Number.POSITIVE_INFINITY, items } = action.limitations ?? {}
  const { max_items, max_units, price_strategy = 'cheapest' } = items ?? {}
  const size = action.args.length === 3 ? action.args[1] : 1
  let lines = found.filter(({ left }) => left > 0n)
  if (!lines.length) return refused('nothing_left')
  if (max_items !== undefined || max_units !== undefined) {
    const sign = price_strategy === 'cheapest' ? 1 : -1
    lines = lines.toSorted((a, b) => sign * compare(averagePrice(a), averagePrice(b)))
  }
  let unitsLeft = max_units ?? Number.POSITIVE_INFINITY
  let applications = 0
  let most = 0
  const offs: Off[] = []
  for (const line of lines.slice(0, max_items)) {
    const chosen = Math.min(line.units.length, max_quantity, unitsLeft)
    unitsLeft -= chosen
    most = Math.max(most, chosen)
    const sets = Math.floor(Math.min(chosen, uses - applications) / size)
    const amount = nearest(offUnits(action.args, averagePrice(line), sets * size))
    if (amount === 0n) continue
    applications += sets * size
    offs.push({ line, amount })
  }
  if (most < size) return refused('incomplete', { needs: size, has: most })
  return taking(action, { offs, isOfCart: false, applications }, cart)
}

/** "`["fixed_price", 2, 10000]` off 5 × 6,000 takes 4,000: two sets of units of one line." */
function offUnits(args: RuleAction['args'], price: Fraction, count: number): Fraction {
  if (args.length === 2) return offOf(args, times(price, whole(count)), count)
  const [, size, amount] = args
  const sets = floor(fraction(BigInt(count), BigInt(size)))
  return times(fraction(sets), offOf(['fixed_price', amount], times(price, whole(size)), 1))
}

/** "The bundles of the action's condition, or of the rules. Of several, the first that the cart has is discounted." */
function discountBundles(
  action: RuleAction,
  rules: RuleDocument['rule_set']['rules'],
  scope: Scope,
  uses: number,
): Taking | Refusal {
  const own = bundlesIn(action.condition)
  const each = (own.length ? own : bundlesIn(rules)).map((node) => toBundleGroups(node, scope))
  const made = each.map((groups) =>
    makeBundles(
      groups,
      scope.lines.flatMap(({ units }) => units),
    ),
  )
  const all = made.find((bundles) => bundles.length)
  if (!all) {
    const [first = []] = each
    if (!first.some(({ lines }) => lines.length)) return refused('no_line_matches')
    const { group, ...values } = lackIn(first, new Set(scope.lines.flatMap(({ units }) => units)))
    return refused('incomplete', { ...values, group: group + 1 })
  }
  const savings = all.map((bundle) => ({
    bundle,
    saving: offOf(action.args, sumOf(bundle.map(({ line }) => averagePrice(line))), 1),
  }))
  const cheaper = savings.filter(({ saving }) => saving.above > 0n).slice(0, uses)
  const units = cheaper.flatMap(({ bundle }) => bundle)
  const lines = scope.lines.filter((line) => units.some((unit) => unit.line === line))
  const weights = lines.map((line) =>
    times(averagePrice(line), whole(units.filter((unit) => unit.line === line).length)),
  )
  const saved = nearest(sumOf(cheaper.map(({ saving }) => saving)))
  const shares = shareOut(atMost(saved, ceiling(action)), weights)
  const offs = lines.map((line, i) => ({ line, amount: shares[i] as bigint }))
  return taking(action, { offs, isOfCart: false, applications: cheaper.length }, scope.cart)
}

const bundlesIn = (nodes: RuleNode | readonly RuleNode[] | null | undefined): readonly RuleNode[] =>
  ([nodes ?? []].flat() as readonly RuleNode[]).flatMap((node) =>
    node.strategy === 'items_bundle'
      ? [node]
      : ['and', 'or'].includes(node.strategy)
        ? bundlesIn(node.children)
        : [],
  )

/** "`shipping_discount` takes something off the base price of each shipping group." */
function discountShipping(action: RuleAction, { cart }: Scope, spent: Refusal | undefined): ActionOutcome {
  const conditions = [action.condition ?? []].flat() as readonly RuleNode[]
  const groups = cart.groups.filter(({ group }) =>
    conditions.every(({ args = [] }) => args.includes(group.shippingType)),
  )
  if (!groups.length) return refused('no_line_matches')
  if (spent) return spent
  if (groups.every(({ left }) => left === 0n)) return refused('nothing_left')
  const offs = groups.map((group) => ({
    group,
    amount: nearest(offOf(action.args, fraction(group.left), 1)),
  }))
  const shipping = cut(offs, ceiling(action)).filter(({ amount }) => amount > 0n)
  return shipping.length ? { offs: [], isOfCart: false, applications: 1, shipping } : refused('no_saving')
}

/** "The uses that one more unit, set or bundle takes." */
export const usesOfNext = ({ strategy, args }: RuleAction): number =>
  strategy === 'item_discount' && args.length === 3 ? args[1] : 1

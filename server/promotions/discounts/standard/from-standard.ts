import { instantOf } from '../../../kernel/body/days.ts'
import { percent, type Ratio } from '../../../prices/index.ts'
import { always } from '../conditions/condition.ts'
import type { DiscountLine } from '../discount-cart.ts'
import { isOfAny } from '../effects/added-units.ts'
import { bundleDiscount } from '../effects/bundle-discount.ts'
import { cartDiscount } from '../effects/cart-discount.ts'
import type { Effect } from '../effects/effect.ts'
import { gifts } from '../effects/gifts.ts'
import { lineSets } from '../effects/line-sets.ts'
import { product, roundToAmount } from '../exact.ts'
import type { Promotion } from '../promotion.ts'
import { anyTarget } from './line-targets.ts'
import type { CurrencyAmount, StandardDocument, StandardSchemas, StandardType } from './standard-document.ts'

/** Compiles a standard promotion. It is as old as its first version. */
export function fromStandard(document: StandardDocument, createdAt: Date): Promotion {
  const { promotion_type, schema } = document
  const isOfCart = promotion_type === 'fixed_discount' || promotion_type === 'percent_discount'
  const exclude = 'exclude' in schema ? schema.exclude : undefined
  return {
    id: document.id,
    name: document.name,
    lane: isOfCart ? 'cart' : 'item',
    createdAtMs: createdAt.getTime(),
    isEnabled: document.enabled ?? false,
    isAutomatic: document.automatic ?? false,
    startsAtMs: instantOf(document.start),
    endsAtMs: instantOf(document.end),
    worksWithSimple: isOfCart && !exclude,
    currencies: currenciesOf(document),
    minimums: toAmounts(document.min_cart_value),
    takesPart: toLineTest(document),
    condition: always,
    effects: [toEffect(document)],
    isStackable: true,
    overridesStacking: false,
  }
}

/** Undefined where the discount is the same in all currencies. */
function currenciesOf({ schema }: StandardDocument): ReadonlySet<string> | undefined {
  if (!('currencies' in schema) || !schema.currencies) return undefined
  if ('percent' in schema && schema.percent !== undefined) return undefined
  return new Set(schema.currencies.map(({ currency }) => currency))
}

/** Custom items take part in discounts of the cart only. Bundles and gifts say themselves which lines they need. */
function toLineTest(document: StandardDocument): (line: DiscountLine) => boolean {
  const { promotion_type, schema, target_catalogs } = document
  const listed = schema.target_catalogs?.length ? schema.target_catalogs : target_catalogs
  const catalogs = listed?.length ? new Set(listed) : undefined
  const isInCatalog = ({ catalogId }: DiscountLine) =>
    !catalogs || (catalogId !== undefined && catalogs.has(catalogId))
  if (promotion_type === 'bundle_fixed_discount' || promotion_type === 'bundle_gift') {
    return (line) => line.kind !== 'custom_item' && isInCatalog(line)
  }
  const { targets, nodes, attributes, conditions } = document.schema.exclude ?? {}
  const isExcluded = anyTarget({
    ...{ targets, target_nodes: nodes, target_attributes: attributes, target_conditions: conditions },
  })
  if (promotion_type === 'fixed_discount' || promotion_type === 'percent_discount') {
    return (line) => isInCatalog(line) && !isExcluded(line)
  }
  const isTarget = anyTarget(document.schema)
  return (line) => line.kind !== 'custom_item' && isInCatalog(line) && isTarget(line) && !isExcluded(line)
}

interface Common {
  readonly ceilingIn: Effect['ceilingIn']
  readonly setsMax: number
  readonly takesPart: Promotion['takesPart']
}

function toEffect(document: StandardDocument): Effect {
  const ceilings = toAmounts(document.max_discount_value)
  const compile = types[document.promotion_type] as (schema: unknown, common: Common) => Effect
  return compile(document.schema, {
    ceilingIn: (currency) => ceilings.get(currency),
    setsMax: document.max_applications_per_cart || Number.POSITIVE_INFINITY,
    takesPart: toLineTest(document),
  })
}

const types: {
  readonly [Type in StandardType]: (schema: StandardSchemas[Type], common: Common) => Effect
} = {
  fixed_discount({ currencies }, { ceilingIn }) {
    const amountIn = toLookup(toAmounts(currencies))
    return cartDiscount({ cut: { by: 'fixed', amountIn }, unit: 'unit', condition: always, ceilingIn })
  },

  percent_discount({ currencies }, { ceilingIn }) {
    const rateIn = toLookup(toRates(currencies))
    return cartDiscount({ cut: { by: 'percent', rateIn }, unit: 'unit', condition: always, ceilingIn })
  },

  item_fixed_discount({ currencies }, common) {
    const amountIn = toLookup(toAmounts(currencies))
    return lineSets({
      ...common,
      ...{ size: 1, discounted: 1 },
      saving: (price, units, currency) => Math.min(price, amountIn(currency)) * units,
    })
  },

  item_percent_discount({ percent: rate, currencies = [] }, common) {
    const everywhere = rate === undefined ? undefined : percent(rate)
    const rateIn = toLookup(toRates(currencies))
    return lineSets({
      ...common,
      ...{ size: 1, discounted: 1 },
      saving: (price, units, currency) =>
        roundToAmount(product(price * units, everywhere ?? rateIn(currency))),
    })
  },

  x_for_y: ({ x, y }, common) =>
    lineSets({
      ...common,
      ...{ size: Math.max(1, x), discounted: Math.max(1, x - y) },
      saving: (price, sets) => (x - y) * sets * price,
    }),

  x_for_amount({ x, currencies }, common) {
    const amountIn = toLookup(toAmounts(currencies))
    return lineSets({
      ...common,
      ...{ size: Math.max(1, x), discounted: Math.max(1, x) },
      saving: (price, sets, currency) => (price * x - amountIn(currency)) * sets,
    })
  },

  bundle_fixed_discount({ requirements, currencies }, { setsMax, ceilingIn }) {
    const amountIn = toLookup(toAmounts(currencies))
    const groups = requirements.map(({ targets, quantity }) => ({
      quantity: Math.max(1, quantity),
      matches: isOfAny(targets),
    }))
    return bundleDiscount({
      cut: { by: 'fixed_price', amountIn },
      bundlesIn: ({ lines }) => [
        () =>
          groups.map(({ quantity, matches }) => ({
            quantity,
            lines: lines.filter(({ line }) => matches(line)),
          })),
      ],
      availableOf: ({ untouched }) => untouched,
      // The units that no promotion has taken have their full price, whatever the others cost.
      priceOf: ({ line }, units) => line.unitPrice * units,
      bundlesMax: setsMax,
      unit: 'unit',
      takesUnits: true,
      ceilingIn,
    })
  },

  bundle_gift: ({ requirements, gifts: products, auto_add_free_gift = false }, common) =>
    gifts({
      ...common,
      requirements: requirements.map(({ targets, quantity }) => ({
        ...{ products: targets, quantity: Math.max(1, quantity) },
      })),
      products,
      isAutoAdd: auto_add_free_gift,
    }),
}

const toAmounts = (
  listed: CurrencyAmount | readonly CurrencyAmount[] | null | undefined,
): ReadonlyMap<string, number> =>
  new Map((listed ? [listed].flat() : []).map(({ currency, amount }) => [currency, amount]))

const toRates = (
  listed: readonly { readonly currency: string; readonly percentage: number }[],
): ReadonlyMap<string, Ratio> =>
  new Map(listed.map(({ currency, percentage }) => [currency, percent(percentage)]))

/** The evaluator has compared the currency before it looks anything up. */
const toLookup =
  <T>(values: ReadonlyMap<string, T>) =>
  (currency: string): T => {
    const value = values.get(currency)
    if (value === undefined) throw new Error(`the promotion has nothing for ${currency}`)
    return value
  }

import { instantOf } from '../../../kernel/body/days.ts'
import { percent } from '../../../prices/index.ts'
import { compileCondition, nodesOf } from '../conditions/compile-condition.ts'
import { always } from '../conditions/condition.ts'
import { productsNamedIn } from '../conditions/item-conditions.ts'
import { bundleDiscount } from '../effects/bundle-discount.ts'
import { cartDiscount, shippingDiscount } from '../effects/cart-discount.ts'
import type { Effect } from '../effects/effect.ts'
import { type ItemLimits, itemDiscount } from '../effects/item-discount.ts'
import type { Promotion } from '../promotion.ts'
import { priceOf } from '../working-cart.ts'
import type { ActionArgs, Limitations, RuleAction, RuleDocument } from './rule-document.ts'

/** Compiles a rule promotion. Throws for a document that the resource would not have accepted. */
export function fromRule(document: RuleDocument, createdAt: Date): Promotion {
  const { catalog_ids, currencies, rules, actions } = document.rule_set
  const catalogs = catalog_ids?.length ? new Set(catalog_ids) : undefined
  return {
    id: document.id,
    name: document.name,
    lane: 'rule',
    createdAtMs: createdAt.getTime(),
    priority: document.priority ?? undefined,
    isEnabled: document.enabled ?? false,
    isAutomatic: document.automatic ?? false,
    startsAtMs: instantOf(document.start),
    endsAtMs: instantOf(document.end),
    worksWithSimple: false,
    currencies: currencies?.length ? new Set(currencies) : undefined,
    minimums: new Map(),
    takesPart: ({ catalogId }) => !catalogs || (catalogId !== undefined && catalogs.has(catalogId)),
    condition: compileCondition(rules, 'rules'),
    effects: actions.map((action, index) => toEffect(action, `actions.${index}`, document)),
    isStackable: document.stackable ?? true,
    overridesStacking: document.override_stacking ?? false,
  }
}

type ToEffect = (action: RuleAction, path: string, document: RuleDocument) => Effect

const actionStrategies: Readonly<Record<string, ToEffect>> = {
  cart_discount: (action, path) =>
    cartDiscount({
      cut: toCartCut(action.args),
      unit: 'cart',
      condition: compileCondition(action.condition, `${path}.condition`),
      ceilingIn: toCeiling(action.limitations),
    }),
  item_discount: (action, path, document) =>
    itemDiscount({
      cut: toItemCut(action.args),
      condition: compileCondition(action.condition, `${path}.condition`),
      limits: toLimits(action.limitations, document),
      products: nodesOf(action.condition ?? document.rule_set.rules).flatMap(productsNamedIn),
      ceilingIn: toCeiling(action.limitations),
    }),
  items_bundle_discount: toBundleEffect,
  // The name that the documentation and clients use.
  item_bundle_discount: toBundleEffect,
  shipping_discount: ({ args, condition, limitations }) => {
    const types = nodesOf(condition).flatMap(({ args = [] }) => args)
    return shippingDiscount({
      cut:
        args[0] === 'percent' ? { by: 'percent', rate: percent(args[1]) } : { by: args[0], amount: args[1] },
      shippingTypes: types.length ? new Set(types) : undefined,
      ceilingIn: toCeiling(limitations),
    })
  },
}

function toEffect(action: RuleAction, path: string, document: RuleDocument): Effect {
  const { strategy } = action
  const compile = Object.hasOwn(actionStrategies, strategy) ? actionStrategies[strategy] : undefined
  if (!compile) throw new Error(`${path} has the unknown strategy ${strategy}`)
  return compile(action, path, document)
}

/** The bundles of the action's condition, otherwise those of the rules. */
function toBundleEffect(
  { args, condition, limitations }: RuleAction,
  path: string,
  { rule_set }: RuleDocument,
): Effect {
  const own = condition ? compileCondition(condition, `${path}.condition`) : always
  const { bundles } = own.bundles.length ? own : compileCondition(rule_set.rules, 'rules')
  const [by, amount] = args
  return bundleDiscount({
    cut: by === 'percent' ? { by, rate: percent(amount) } : { by, amountIn: () => amount },
    bundlesIn(view) {
      const finding = own.check({ cart: view.cart, lines: view.lines })
      if (!finding.isMet) return { verdict: 'condition_unmet', ...finding.unmet }
      return bundles.map(
        ({ groupsIn }) =>
          () =>
            groupsIn({ cart: view.cart, lines: view.lines }),
      )
    },
    availableOf: ({ quantity }) => quantity,
    priceOf,
    bundlesMax: Number.POSITIVE_INFINITY,
    unit: 'bundle',
    takesUnits: false,
    ceilingIn: toCeiling(limitations),
  })
}

function toCartCut([by, amount]: ActionArgs): Parameters<typeof cartDiscount>[0]['cut'] {
  if (by === 'fixed_price') throw new Error('a cart has no fixed price')
  if (by === 'fixed') return { by, amountIn: () => amount }
  const rate = percent(amount)
  return { by, rateIn: () => rate }
}

function toItemCut(args: ActionArgs): Parameters<typeof itemDiscount>[0]['cut'] {
  const [by, first, second] = args
  if (by === 'fixed') return { by, amount: first }
  if (by === 'percent') return { by, rate: percent(first) }
  // Without a number of units, the price is that of one.
  return second === undefined ? { by, size: 1, amount: first } : { by, size: first, amount: second }
}

const toCeiling =
  (limitations: Limitations | null | undefined): Effect['ceilingIn'] =>
  () =>
    limitations?.max_discount

function toLimits(limitations: Limitations | null | undefined, { automatic }: RuleDocument): ItemLimits {
  const { max_quantity, items } = limitations ?? {}
  const unlimited = Number.POSITIVE_INFINITY
  return {
    linesMax: items?.max_items ?? unlimited,
    unitsOfLineMax: max_quantity ?? unlimited,
    unitsMax: items?.max_units ?? unlimited,
    takesDearest: items?.price_strategy === 'expensive',
    isAutoAdd: (items?.auto_add ?? false) && automatic === true,
    isSuggested: items?.show_suggestions ?? false,
  }
}

import {
  type ActionArgs,
  type RuleAction,
  type RuleNode,
  type RuleSet,
  treeLimits,
} from '../discounts/rules/rule-document.ts'
import { charactersMax } from '../standard/promotion-document.ts'
import { isExact, listOf, texts } from './check-args.ts'
import { type Budget, checkNodes, treeKinds } from './check-nodes.ts'
import { fault } from './fault.ts'

/** The largest amount that an action takes off. */
const amountMax = 1_000_000_000_000
const unitsMax = 1_000_000_000

/** The forms of `args` that each action has. */
const formsOf: Readonly<Record<string, readonly ActionArgs[0][]>> = {
  cart_discount: ['fixed', 'percent'],
  item_discount: ['fixed', 'percent', 'fixed_price'],
  items_bundle_discount: ['fixed', 'percent', 'fixed_price'],
  item_bundle_discount: ['fixed', 'percent', 'fixed_price'],
  shipping_discount: ['fixed', 'percent', 'fixed_price'],
}

/** Refuses a rule set that cannot be compiled. Returns it without members that it does not have. */
export function checkRuleSet(ruleSet: RuleSet, isAutomatic: boolean): RuleSet {
  const { catalog_ids, currencies, rules, actions } = ruleSet
  const path = 'data.rule_set'
  const budget = { nodes: treeLimits.nodesMax }
  const checked: RuleSet = {
    ...(catalog_ids && { catalog_ids: catalog_ids.map((id) => id.toLowerCase()) }),
    ...(currencies && { currencies }),
    ...(rules && { rules: checkNodes(rules, `${path}.rules`, treeKinds.rules, budget) }),
    actions: actions.map((action, index) =>
      checkAction(action, `${path}.actions.${index}`, budget, isAutomatic),
    ),
  }
  mustHaveBundles(checked, path)
  const { length } = JSON.stringify(checked)
  if (length <= charactersMax) return checked
  throw fault(path, `must be at most ${charactersMax} characters of JSON, not ${length}`)
}

function checkAction(action: RuleAction, path: string, budget: Budget, isAutomatic: boolean): RuleAction {
  const { strategy, condition } = action
  const args = checkActionArgs(strategy, action.args, `${path}.args`)
  const limitations = checkLimitations(action, `${path}.limitations`, isAutomatic)
  const at = `${path}.condition`
  const checked = !condition
    ? undefined
    : strategy === 'shipping_discount'
      ? checkShippingTypes(condition, at)
      : checkNodes(condition, at, treeKinds.condition, budget)
  return { strategy, args, ...(checked && { condition: checked }), ...(limitations && { limitations }) }
}

function checkActionArgs(strategy: string, args: readonly unknown[], path: string): ActionArgs {
  const forms = formsOf[strategy] ?? []
  const [form, ...values] = args
  if (!forms.includes(form as ActionArgs[0])) throw fault(`${path}.0`, `must be one of ${forms.join(', ')}`)
  const hasUnits = form === 'fixed_price' && strategy === 'item_discount' && values.length === 2
  if (values.length !== (hasUnits ? 2 : 1)) {
    const accepted =
      strategy === 'item_discount'
        ? `["fixed_price", units, amount] or ["${form}", number]`
        : `["${form}", number]`
    throw fault(path, `must be ${accepted}`)
  }
  const [units] = values
  if (hasUnits && !(Number.isSafeInteger(units) && 1 <= Number(units) && Number(units) <= unitsMax)) {
    throw fault(`${path}.1`, `must be a whole number from 1 to ${unitsMax}: the units for the amount`)
  }
  const value = values.at(-1)
  const last = `${path}.${args.length - 1}`
  if (form === 'percent') {
    if (!isExact(value, 100))
      throw fault(last, 'must be a number from 0 to 100 with at most 6 decimal places')
  } else if (!isExact(value, amountMax) || !Number.isInteger(value)) {
    throw fault(last, `must be a whole number from 0 to ${amountMax}`)
  }
  return args as unknown as ActionArgs
}

function checkShippingTypes(condition: unknown, path: string): RuleNode | readonly RuleNode[] {
  if (Array.isArray(condition)) {
    if (condition.length > 1) throw fault(path, 'must have one condition: the shipping types')
    return condition.map((node, index) => checkShippingTypes(node, `${path}.${index}`) as RuleNode)
  }
  const { strategy, operator, args } = (condition ?? {}) as Readonly<Record<string, unknown>>
  if (strategy !== 'shipping_type') throw fault(`${path}.strategy`, 'must be shipping_type')
  if (operator !== 'in') throw fault(`${path}.operator`, 'must be in')
  return { strategy, operator, args: texts(listOf(args, `${path}.args`), operator, `${path}.args`) }
}

function checkLimitations(
  { strategy, args: [form, amount], limitations }: RuleAction,
  path: string,
  isAutomatic: boolean,
): RuleAction['limitations'] {
  if (!limitations) return undefined
  const known = withoutNulls(limitations, ['max_discount', 'max_quantity'])
  const items = withoutNulls(limitations.items ?? {}, [
    ...['max_items', 'max_units', 'price_strategy', 'auto_add', 'show_suggestions'],
  ])
  const isOfItems = strategy === 'item_discount'
  if (!isOfItems && known.max_quantity !== undefined) {
    throw fault(`${path}.max_quantity`, 'must be left out: only item_discount has it')
  }
  if (!isOfItems && Object.values(items).some(Boolean))
    throw fault(`${path}.items`, 'must be left out: only item_discount has it')
  if (items.auto_add && !(isAutomatic && form === 'percent' && amount === 100)) {
    throw fault(
      `${path}.items.auto_add`,
      'must be false unless the promotion is automatic and takes 100 percent',
    )
  }
  return { ...known, ...(Object.keys(items).length && { items }) }
}

function withoutNulls(of: object, names: readonly string[]): Readonly<Record<string, unknown>> {
  const values = of as Readonly<Record<string, unknown>>
  const has = names.filter((name) => (values[name] ?? undefined) !== undefined)
  return Object.fromEntries(has.map((name) => [name, values[name]]))
}

/** A discount of bundles needs some: its own, or those of the rules. */
function mustHaveBundles({ rules, actions }: RuleSet, path: string): void {
  for (const [index, { strategy, condition }] of actions.entries()) {
    if (!/^items?_bundle_discount$/.test(strategy) || hasBundle(condition) || hasBundle(rules)) continue
    throw fault(`${path}.actions.${index}`, 'needs an items_bundle in its condition or in the rules')
  }
}

const hasBundle = (nodes: RuleSet['rules']): boolean =>
  [nodes ?? []]
    .flat()
    .some(({ strategy, children = [] }) => strategy === 'items_bundle' || hasBundle(children))

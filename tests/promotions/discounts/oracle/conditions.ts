import type { RuleNode } from '../../../../server/promotions/discounts/rules/rule-document.ts'
import type { CustomAttribute, DiscountLine } from '../../../../server/promotions/index.ts'
import {
  compare,
  type Fraction,
  fraction,
  nearest,
  sum,
  written,
} from '../../../builders/prices/fractions.ts'
import { type BundleGroup, lackIn, makeBundle } from './bundles.ts'
import { averagePrice, type SlowCart, type SlowLine } from './cart.ts'

/** The conditions of rule promotions, as chapter 9 of docs/money.md has them. */

/** Whether a condition is met, and the lines that it finds. Undefined: it says nothing about lines. */
export interface Finding {
  readonly isMet: boolean
  readonly lines?: readonly SlowLine[] | undefined
  /** The condition that is not met. */
  readonly unmet?: UnmetNode
}

interface UnmetNode {
  readonly node: string
  readonly strategy: string
  readonly operator?: string | undefined
  readonly needs: unknown
  readonly has: unknown
}

/** What a condition looks at: the cart, and the lines that take part in the promotion. */
export interface Scope {
  readonly cart: SlowCart
  readonly lines: readonly SlowLine[]
}

const unmet = (why: UnmetNode): Finding => ({ isMet: false, unmet: why })

/** A list stands for `and`. Without conditions, every cart meets them. */
export function findAll(
  nodes: RuleNode | readonly RuleNode[] | null | undefined,
  scope: Scope,
  path: string,
): Finding {
  if (!nodes) return { isMet: true }
  if (!Array.isArray(nodes)) return find(nodes as RuleNode, scope, path)
  return both((nodes as readonly RuleNode[]).map((node, i) => find(node, scope, `${path}.${i}`)))
}

/** "`and` finds the lines that all its conditions find." */
function both(found: readonly Finding[]): Finding {
  const [first] = found.filter(({ isMet }) => !isMet)
  if (first) return first
  const sets = found.flatMap(({ lines }) => (lines ? [lines] : []))
  return {
    isMet: true,
    lines: sets.length ? sets.reduce((a, b) => a.filter((one) => b.includes(one))) : undefined,
  }
}

/** "`or` the lines that any finds." A met condition that says nothing about lines makes it say nothing. */
function either(found: readonly Finding[], scope: Scope, node: string): Finding {
  const met = found.filter(({ isMet }) => isMet)
  if (!met.length) {
    const has = found.map(({ unmet: why }) => why)
    return unmet({ node, strategy: 'or', needs: 'one of its children', has })
  }
  if (met.some(({ lines }) => !lines)) return { isMet: true }
  return { isMet: true, lines: scope.lines.filter((line) => met.some(({ lines }) => lines?.includes(line))) }
}

/** How many values a reason shows. */
const shownMax = 20

function find(node: RuleNode, scope: Scope, path: string): Finding {
  const { strategy, operator = '', args = [], children = [] } = node
  const childrenOf = (inScope: Scope) =>
    children.map((child, i) => find(child, inScope, `${path}.children.${i}`))
  const no = (has: unknown) => unmet({ node: path, strategy, operator, needs: args, has })
  // Children that are met one by one, but by no line together, lack that line.
  const among = (lines: readonly SlowLine[]) => {
    let found: Finding = { isMet: true, lines }
    for (const child of childrenOf({ ...scope, lines })) {
      found = both([found, child])
      if (found.isMet && !found.lines?.length) {
        return unmet({ node: path, strategy: 'children', needs: 'one line', has: [] })
      }
      if (!found.isMet) return found
    }
    return found
  }
  const { cart } = scope.cart
  switch (strategy) {
    case 'and':
      return both(childrenOf(scope))
    case 'or':
      return either(childrenOf(scope), scope, path)
    case 'cart_total': {
      const total = totalOf(among(scope.lines).lines ?? [])
      return isTrue(operator, total, args) ? { isMet: true } : no(Number(nearest(total)))
    }
    case 'account_tags':
      return hasTags(operator, cart.accountTags, args) ? { isMet: true } : no(cart.accountTags)
    case 'cart_custom_attribute':
      return hasValue(operator, cart.customAttributes, args)
        ? { isMet: true }
        : no(cart.customAttributes[String(args[0])]?.value)
    case 'items_bundle': {
      const groups = toBundleGroups(node, scope)
      const all = new Set(scope.lines.flatMap(({ units }) => units))
      if (!makeBundle(groups, all)) {
        const { group, needs, has } = lackIn(groups, all)
        return unmet({ node: `${path}.children.${group}`, strategy, needs, has })
      }
      return {
        isMet: true,
        lines: scope.lines.filter((line) => groups.some(({ lines }) => lines.includes(line))),
      }
    }
    default: {
      // "A condition for items is met by a line that meets it and all its children."
      const met = scope.lines.filter((line) => isMetBy(line, node))
      return met.length
        ? among(met)
        : no(scope.lines.slice(0, shownMax).map((line) => lookedAtBy(line, node)))
    }
  }
}

const totalOf = (lines: readonly SlowLine[]) => fraction(sum(lines.map(({ left }) => left)))

/** Each group is an `and` of what the lines must be and of how many units the group takes. */
export const toBundleGroups = ({ children = [] }: RuleNode, scope: Scope): BundleGroup[] =>
  children.map((group) => {
    const nodes = group.children ?? []
    const quantity = Number(nodes.find(({ strategy }) => strategy === 'item_quantity')?.args?.[0])
    const matchers = nodes.filter(({ strategy }) => strategy !== 'item_quantity')
    // Why a group has no lines is never said.
    const found = findAll(matchers, scope, '')
    return { quantity, lines: found.isMet ? (found.lines ?? scope.lines) : [] }
  })

/** What a condition for items looks at. */
function lookedAtBy(line: SlowLine, { strategy, args = [] }: RuleNode): unknown {
  const { item } = line
  const [first, second] = args as readonly [string, string]
  switch (strategy) {
    case 'item_price':
      return Number(nearest(averagePrice(line)))
    case 'item_quantity':
      return line.units.length
    case 'item_sku':
      return item.sku
    case 'item_product_id':
      return item.productId
    case 'item_category':
      return item.nodeIds
    case 'item_identifier':
      return item.sku ?? item.productId
    case 'item_attribute':
      return item.attributes[first]?.[second]
    case 'item_custom_attribute':
      return item.customAttributes[first]?.value
    default:
      throw Error(`${strategy} is new to the oracle`)
  }
}

function isMetBy(line: SlowLine, { strategy, operator = '', args = [] }: RuleNode): boolean {
  const { item } = line
  switch (strategy) {
    case 'item_price':
      return isTrue(operator, averagePrice(line), args)
    case 'item_quantity':
      return isTrue(operator, fraction(BigInt(line.units.length)), args)
    case 'item_sku':
      return isListed(operator, item.sku !== undefined && args.includes(item.sku))
    case 'item_product_id':
      return isListed(operator, item.productId !== undefined && args.includes(item.productId))
    case 'item_category':
      return isListed(
        operator,
        item.nodeIds.some((id) => args.includes(id)),
      )
    case 'item_identifier':
      return isListed(operator, isIdentified(item, args as readonly Identifiers[]))
    case 'item_attribute': {
      const [template, field, type, ...values] = args as readonly [string, string, string, ...unknown[]]
      const has = [item.attributes[template]?.[field] ?? []].flat()
      return isListed(
        operator,
        has.some((one) => isOfType(type, one) && values.includes(one)),
      )
    }
    case 'item_custom_attribute':
      return hasValue(operator, item.customAttributes, args)
    default:
      throw Error(`${strategy} is new to the oracle`)
  }
}

interface Identifiers {
  readonly skus?: readonly string[]
  readonly ids?: readonly string[]
}

/** The id of a product stands for its children too. */
const isIdentified = (
  { sku = '', productId = '', parentProductId = '' }: DiscountLine,
  args: readonly Identifiers[],
) =>
  args.some(
    ({ skus = [], ids = [] }) =>
      skus.includes(sku) || ids.includes(productId) || ids.includes(parentProductId),
  )

const isListed = (operator: string, isIn: boolean) => (operator === 'nin' ? !isIn : isIn)

function isTrue(operator: string, has: Fraction, args: readonly unknown[]): boolean {
  const [first, last] = args.map((arg) => compare(has, written(String(arg)))) as [number, number?]
  switch (operator) {
    case 'gte':
      return first >= 0
    case 'gt':
      return first > 0
    case 'lte':
      return first <= 0
    case 'lt':
      return first < 0
    case 'eq':
      return first === 0
    case 'ne':
      return first !== 0
    case 'range':
      return first >= 0 && (last as number) <= 0
    default:
      throw Error(`${operator} is new to the oracle`)
  }
}

function hasTags(operator: string, has: readonly string[], args: readonly unknown[]): boolean {
  const tags = args.map(String)
  const all = tags.every((tag) => has.includes(tag))
  const any = tags.some((tag) => has.includes(tag))
  return { contains_all: all, contains_any: any, not_contains_any: !any, not_contains_all: !all }[
    operator
  ] as boolean
}

const isOfType = (type: string, value: unknown) =>
  ({
    string: typeof value === 'string',
    boolean: typeof value === 'boolean',
    integer: Number.isInteger(value),
    float: typeof value === 'number',
  })[type]

/** "An attribute of another type than the rule's is as good as none." */
function hasValue(
  operator: string,
  attributes: Readonly<Record<string, CustomAttribute>>,
  [key, type, ...values]: readonly unknown[],
): boolean {
  const attribute = attributes[String(key)]
  const has = attribute?.type === type ? attribute?.value : undefined
  if (operator === 'in' || operator === 'nin') return isListed(operator, values.includes(has))
  if (has === undefined) return false
  if (typeof has === 'number') return isTrue(operator, written(has), values)
  return has === values[0]
}

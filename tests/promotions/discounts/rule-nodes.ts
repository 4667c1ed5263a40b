import type { RuleAction, RuleNode } from '../../../server/promotions/discounts/rules/rule-document.ts'

export const node = (strategy: string, operator: string, ...args: unknown[]): RuleNode => ({
  strategy,
  operator,
  args,
})
export const within = (parent: RuleNode, ...children: RuleNode[]): RuleNode => ({ ...parent, children })
export const all = (...children: RuleNode[]): RuleNode => ({ strategy: 'and', children })
export const any = (...children: RuleNode[]): RuleNode => ({ strategy: 'or', children })
export const bundle = (...children: RuleNode[]): RuleNode => ({ strategy: 'items_bundle', children })
export const some = (quantity: number, ...skus: string[]) =>
  all(node('item_sku', 'in', ...skus), node('item_quantity', 'eq', quantity))

export const action = (
  strategy: string,
  args: RuleAction['args'],
  more: Partial<RuleAction> = {},
): RuleAction => ({
  ...{ strategy, args },
  ...more,
})
export const itemHalf = action('item_discount', ['percent', 50])
export const cartTenth = action('cart_discount', ['percent', 10])

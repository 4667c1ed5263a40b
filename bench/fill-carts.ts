import type { OwnServer } from './own-server.ts'
import type { SeededCatalog } from './seed-published.ts'

/** A line of a cart. */
export const item = (id: string | undefined, quantity = 1) => ({ type: 'cart_item', id, quantity })

/** A cart with one unit of each of the first products. */
export async function fillCart(
  { call }: OwnServer,
  { productIds }: SeededCatalog,
  name: string,
  lines: number,
): Promise<void> {
  const usesRules = { discount_settings: { use_rule_promotions: true, custom_discounts_enabled: false } }
  await call('PUT', `/v2/carts/${name}`, { type: 'cart', name, ...usesRules })
  if (!lines) return
  const items = productIds.slice(0, lines).map((id) => item(id))
  await call('POST', `/v2/carts/${name}/items`, items, 201)
}

/** Automatic promotions of the usual kinds, half of them rules; one in five takes something off products of a cart. */
export async function makePromotions(
  { call }: OwnServer,
  { skus }: SeededCatalog,
  count: number,
): Promise<void> {
  for (let i = 0; i < count; i++) {
    const isRule = i % 2 === 0
    const body = isRule ? rule(i, skus) : standard(i, skus)
    await call('POST', isRule ? '/v2/rule-promotions' : '/v2/promotions', body, 201)
  }
}

const common = (i: number) => ({
  ...{ name: `Offer ${i}`, description: 'An offer of the bench', enabled: true, automatic: true },
  ...{ start: '2026-01-01', end: '2999-01-01' },
})

/** A tenth off some products: every fifth rule is for one that carts have, the others are for products far away. */
function rule(i: number, skus: readonly string[]): object {
  const from = i % 5 === 0 ? 0 : 200 + i * 5
  const some = { strategy: 'item_sku', operator: 'in', args: skus.slice(from, from + 5) }
  const rules = {
    strategy: 'and',
    children: [{ strategy: 'cart_total', operator: 'gte', args: [100] }, some],
  }
  return {
    ...{ type: 'rule_promotion', ...common(i), stackable: true },
    rule_set: { rules, actions: [{ strategy: 'item_discount', args: ['percent', 10], condition: some }] },
  }
}

function standard(i: number, skus: readonly string[]): object {
  const target = skus.slice(i % 5 === 1 ? 5 : 500 + i * 5).slice(0, 5)
  const schema = { currencies: [{ currency: 'USD', amount: 50 }], targets: target }
  return { type: 'promotion', ...common(i), promotion_type: 'item_fixed_discount', schema }
}

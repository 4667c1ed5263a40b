import { randomUUID } from 'node:crypto'
import type { CodeUse } from '../../../server/promotions/discounts/evaluate.ts'
import { type DiscountShopper, spendCodes } from '../../../server/promotions/index.ts'
import type { Client, World } from '../../support/world.ts'

/** What a merchant does with codes. */

export type Kind = 'promotions' | 'rule-promotions'

/** The codes of both kinds of promotions behave alike. */
export const kinds: readonly Kind[] = ['promotions', 'rule-promotions']

/** For each order, and for each thing discounted. */
export const units = {
  promotions: ['per_cart', 'per_item'],
  'rule-promotions': ['per_checkout', 'per_application'],
} as const

const promotions = {
  promotions: {
    type: 'promotion',
    promotion_type: 'fixed_discount',
    schema: { currencies: [{ currency: 'USD', amount: 500 }] },
  },
  'rule-promotions': {
    type: 'rule_promotion',
    rule_set: { actions: [{ strategy: 'cart_discount', args: ['percent', 10] }] },
  },
}

const period = { start: '2026-01-01', end: '2026-12-31' }

/** Creates a promotion. Returns its path. */
export async function makePromotion(client: Client, kind: Kind, more: object = {}): Promise<string> {
  const data = {
    ...promotions[kind],
    name: 'Spring',
    description: 'Spring sale',
    enabled: true,
    ...period,
    ...more,
  }
  const { status, body } = await client.post(`/v2/${kind}`, { data })
  if (status !== 201) throw new Error(JSON.stringify(body))
  return `/v2/${kind}/${body.data.id}`
}

export const idIn = (promotion: string): string => promotion.split('/')[3] as string

export const newCode = (): string => `Code-${randomUUID()}`

/** The answer to a request that adds codes to a promotion. */
export const addCodes = (client: Client, promotion: string, ...codes: readonly object[]) =>
  client.post(`${promotion}/codes`, { data: { type: 'promotion_codes', codes } })

/** Creates a promotion with one code. Returns the use of the code by an order. */
export async function makeCode(
  client: Client,
  kind: Kind,
  more: object = {},
): Promise<CodeUse & { readonly promotion: string }> {
  const promotion = await makePromotion(client, kind)
  const code = newCode()
  const { status, body } = await addCodes(client, promotion, { code, ...more })
  if (status !== 201) throw new Error(JSON.stringify(body))
  return { promotion, promotionId: idIn(promotion), code, uses: 1 }
}

/** Spends codes in an order of their own, as a checkout does. Returns the codes that could not be spent. */
export const spend = (
  { work }: World,
  uses: readonly CodeUse[],
  shopper: DiscountShopper = {},
  id: string = randomUUID(),
): Promise<readonly CodeUse[]> =>
  work.transaction((inside) => spendCodes(inside, uses, { id, shopper, at: inside.clock.now() }))

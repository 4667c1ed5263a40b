import { accountsOf, beforeRules, rulesAfter, type Shopper } from '../catalogs/index.ts'
import { currencies } from '../currencies/index.ts'
import type { Ctx } from '../kernel/work/context.ts'
import type { DisplayCurrency } from '../pricing/index.ts'
import { currentEditionSql, type Published, toEdition } from '../publishing/index.ts'

const known = `SELECT json_agg(doc) FROM ${currencies.table} WHERE store_id = $1` as const

export const shopSql = `SELECT (${known}), r.*, e.* FROM (${beforeRules}) r
  LEFT JOIN LATERAL (${currentEditionSql('r.oldest_published')}) e ON true` as const

/** What every answer to a shopper begins with, by one statement: `then` is the instant that is asked for. */
export async function glanceAtShop(ctx: Ctx, shopper: Shopper, then: Date | undefined) {
  const [[currencies, state = null, oldestPublished = null, accountTags = null, ...edition] = []] =
    await ctx.store.glance(shopSql, accountsOf(shopper), then ?? null)
  const oldest: Published | undefined =
    oldestPublished && edition[0] ? { ...toEdition(edition), catalogId: oldestPublished } : undefined
  return {
    currencies: currenciesIn(currencies),
    rules: await rulesAfter(ctx, [state, oldestPublished, accountTags]),
    /** Of the catalog for whom no rule is for. */
    oldest,
  }
}

/** The currencies that prices may be shown in. */
export async function currenciesOf({ store }: Pick<Ctx, 'store'>): Promise<readonly DisplayCurrency[]> {
  const [[currencies] = []] = await store.glance(known)
  return currenciesIn(currencies)
}

const currenciesIn = (docs: string | null | undefined) => JSON.parse(docs ?? '[]') as DisplayCurrency[]

import { columns } from '../../kernel/storage/columns.ts'
import type { Work } from '../../kernel/work/context.ts'
import { codesStateSql, promotionsStateSql, rulePromotionsStateSql } from '../../promotions/index.ts'
import { shopStateSql } from '../../shop/index.ts'
import type { CartValues } from '../contents/cart-fields.ts'
import type { CalculationMethod } from '../totals/totals-cart.ts'

const settings = `(SELECT s.version FROM singletons s WHERE s.store_id = $1 AND s.name = 'settings')`
const tagsOf = (accounts: string) =>
  `(SELECT json_agg(tag->>'id') FROM accounts a, jsonb_array_elements(a.account_tags) tag
    WHERE a.store_id = $1 AND a.id = (${accounts}->>0)::uuid)`

/** The SQL of what the state depends on: JSON lists of ids and of codes, and a text. */
interface CartSql {
  /** Where the statement has read `shopStateSql` already. */
  readonly shop?: string
  readonly customers: string
  readonly accounts: string
  readonly email: string
  /** Left out where a cart has none: their state takes as long as all the rest. */
  readonly codes?: string | undefined
}

/**
 * What the prices of a cart depend on beside its contents: its owners and the tags of its account, the rules, the
 * releases, the currencies, the settings, the promotions and its codes. Two equal states mean equal prices, up to the
 * instant until which they hold.
 */
export function stateSql({ shop = shopStateSql, customers, accounts, email, codes }: CartSql): string {
  const [customer, account] = [customers, accounts].map((list) => `(${list}->>0)`) as [string, string]
  const ownEmail = `coalesce((SELECT k.doc->>'email' FROM customers k
    WHERE k.store_id = $1 AND k.id = ${customer}::uuid), ${email})`
  const shopper = { customerId: customer, accountId: account, email: ownEmail }
  // A part that is NULL is left out, as that of no codes is.
  const ofCodes = codes === undefined ? 'NULL' : codesStateSql(codes, shopper)
  return `concat_ws('|', ${shop}, ${settings}, ${tagsOf(accounts)},
    ${promotionsStateSql}, ${rulePromotionsStateSql}, ${ofCodes}, ${customer}, ${account})`
}

const stateColumns = (codes?: string) =>
  columns({
    state: stateSql({
      ...{ shop: 's.shop', customers: '$2::jsonb', accounts: '$3::jsonb', email: '$4::text', codes },
    }),
    accountTags: [tagsOf('$3::jsonb'), (text: string | null) => JSON.parse(text ?? '[]') as string[]],
    method: [
      `(SELECT doc->>'calculation_method' FROM singletons WHERE store_id = $1 AND name = 'settings')`,
      (text: string | null): CalculationMethod => (text === 'simple' ? 'simple' : 'line'),
    ],
    // Those of the two kinds of promotions.
    promotions: [promotionsStateSql, (text: string | null) => text],
    rulePromotions: [rulePromotionsStateSql, (text: string | null) => text],
    shopState: 's.shop',
  })

const stateFrom = ({ sql }: ReturnType<typeof stateColumns>) =>
  `SELECT ${sql} FROM (SELECT ${shopStateSql} AS shop OFFSET 0) s` as const

const ofNoCodes = stateColumns()
const [withoutCodes, withCodes] = [stateFrom(ofNoCodes), stateFrom(stateColumns('$5::jsonb'))]

/** The state for a cart with these codes, and the ids of its account's tags. */
export async function readState(
  { store }: Work,
  { customers = [], accounts = [], contact }: CartValues,
  codes: readonly string[],
) {
  const owners = [JSON.stringify(customers), JSON.stringify(accounts)]
  const [row] = codes.length
    ? await store.read(withCodes, ...owners, contact?.email || null, JSON.stringify(codes))
    : await store.read(withoutCodes, ...owners)
  if (!row) throw new Error('a store has a state')
  return ofNoCodes.read(row)
}

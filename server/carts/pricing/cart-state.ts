import type { Work } from '../../kernel/work/context.ts'
import { codesStateSql, promotionsStateSql, rulePromotionsStateSql } from '../../promotions/index.ts'
import type { CartValues } from '../contents/cart-fields.ts'
import type { CalculationMethod } from '../totals/totals-cart.ts'

const rules = `(SELECT s.state FROM catalog_rule_states s WHERE s.store_id = $1)`
const releases = `(SELECT concat_ws(',', count(*), max(e.published_at), sum((e.made_of->>'additions')::integer),
  count(*) FILTER (WHERE e.withdrawn)) FROM catalog_editions e WHERE e.store_id = $1)`
// A new currency may follow one that was deleted, with the same version.
const currencies = `(SELECT md5(string_agg(concat(c.id, c.version), ',' ORDER BY c.id)) FROM currencies c WHERE c.store_id = $1)`
const settings = `(SELECT s.version FROM singletons s WHERE s.store_id = $1 AND s.name = 'settings')`
const tagsOf = (accounts: string) =>
  `(SELECT json_agg(tag->>'id') FROM accounts a, jsonb_array_elements(a.account_tags) tag
    WHERE a.store_id = $1 AND a.id = (${accounts}->>0)::uuid)`

/** The SQL of what the state depends on: JSON lists of ids and of codes, and a text. */
interface CartSql {
  readonly customers: string
  readonly accounts: string
  readonly email: string
  readonly codes: string
}

/**
 * What the prices of a cart depend on beside its contents: its owners and the tags of its account, the rules, the
 * releases, the currencies, the settings, the promotions and its codes. Two equal states mean equal prices, up to the
 * instant until which they hold.
 */
export function stateSql({ customers, accounts, email, codes }: CartSql): string {
  const [customer, account] = [customers, accounts].map((list) => `(${list}->>0)`) as [string, string]
  const ownEmail = `coalesce((SELECT k.doc->>'email' FROM customers k
    WHERE k.store_id = $1 AND k.id = ${customer}::uuid), ${email})`
  return `concat_ws('|', ${rules}, ${releases}, ${currencies}, ${settings}, ${tagsOf(accounts)},
    ${promotionsStateSql}, ${rulePromotionsStateSql},
    ${codesStateSql(codes, { customerId: customer, accountId: account, email: ownEmail })}, ${customer}, ${account})`
}

const bound = stateSql({
  customers: '$2::jsonb',
  accounts: '$3::jsonb',
  email: '$4::text',
  codes: '$5::jsonb',
})

/** The state for a cart with these codes, and the ids of its account's tags. */
export async function readState(
  { store }: Work,
  { customers = [], accounts = [], contact }: CartValues,
  codes: readonly string[],
): Promise<{
  readonly state: string
  readonly accountTags: readonly string[]
  readonly method: CalculationMethod
  /** Those of the two kinds of promotions. */
  readonly promotions: string | null
  readonly rulePromotions: string | null
}> {
  const text = `SELECT ${bound}, ${tagsOf('$3::jsonb')},
    (SELECT doc->>'calculation_method' FROM singletons WHERE store_id = $1 AND name = 'settings'),
    ${promotionsStateSql}, ${rulePromotionsStateSql}` as const
  const [row] = await store.read(
    text,
    JSON.stringify(customers),
    JSON.stringify(accounts),
    contact?.email || null,
    JSON.stringify(codes),
  )
  return {
    state: row?.[0] as string,
    accountTags: JSON.parse(row?.[1] ?? '[]') as string[],
    method: row?.[2] === 'simple' ? 'simple' : 'line',
    promotions: row?.[3] ?? null,
    rulePromotions: row?.[4] ?? null,
  }
}

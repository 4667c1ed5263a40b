import type { Work } from '../kernel/work/context.ts'
import type { CalculationMethod } from '../totals/index.ts'

/**
 * What the prices of a cart depend on beside its own row: the rules, the releases, the tags of its account, the
 * currencies, the settings and the promotions. Two equal states mean equal prices, up to the instant until which they
 * hold. `accounts` is the SQL of a JSON list of ids.
 */
const rules = `(SELECT s.state FROM catalog_rule_states s WHERE s.store_id = $1)`
const releases = `(SELECT concat_ws(',', count(*), max(e.published_at), sum((e.made_of->>'additions')::integer),
  count(*) FILTER (WHERE e.withdrawn)) FROM catalog_editions e WHERE e.store_id = $1)`
const currencies = `(SELECT string_agg(c.version::text, ',' ORDER BY c.id) FROM currencies c WHERE c.store_id = $1)`
const settings = `(SELECT s.version FROM singletons s WHERE s.store_id = $1 AND s.name = 'settings')`
const tagsOf = (accounts: string) =>
  `(SELECT json_agg(tag->>'id') FROM accounts a, jsonb_array_elements(a.account_tags) tag
    WHERE a.store_id = $1 AND a.id = (${accounts}->>0)::uuid)`

export const stateSql = (accounts: string): string =>
  `concat_ws('|', ${rules}, ${releases}, ${currencies}, ${settings}, ${tagsOf(accounts)})`

/** The state for a cart of these accounts, and the ids of the account's tags. */
export async function readState(
  { store }: Work,
  accounts: readonly string[],
): Promise<{
  readonly state: string
  readonly accountTags: readonly string[]
  readonly method: CalculationMethod
}> {
  const text = `SELECT ${stateSql('$2::jsonb')}, ${tagsOf('$2::jsonb')},
    (SELECT doc->>'calculation_method' FROM singletons WHERE store_id = $1 AND name = 'settings')` as const
  const [row] = await store.read(text, JSON.stringify(accounts))
  return {
    state: row?.[0] as string,
    accountTags: JSON.parse(row?.[1] ?? '[]') as string[],
    method: row?.[2] === 'simple' ? 'simple' : 'line',
  }
}

import { Memory } from '../kernel/memory.ts'
import type { Tuple } from '../kernel/storage/database.ts'
import type { Work } from '../kernel/work/context.ts'
import { perInstance } from '../kernel/work/per-instance.ts'
import type { RuleValues } from './catalog-rules.ts'
import type { Pending } from './pending-rules.ts'
import { inOrder } from './prioritized-pricebooks.ts'
import { criteria, type Rule } from './resolve-rule.ts'
import { RuleIndex } from './rule-index.ts'
import { spanOf } from './schedules.ts'

/** A rule as it is kept in mind. */
export interface KnownRule extends Rule {
  readonly catalogId: string
  /** Those that it names in place of the catalog's, the first of all first; undefined where it names none. */
  readonly pricebookIds: readonly string[] | undefined
}

/** The rules of a store. */
export interface StoreRules {
  /** Those that shoppers get. */
  readonly inEffect: RuleIndex<KnownRule>
  /** All, as the merchant wrote them. */
  readonly written: readonly KnownRule[]
  /** Of those that are not in effect as they are written, by their ids: the price books that they wait for. */
  readonly pending: ReadonlyMap<string, readonly string[]>
}

/** What a catalog is chosen by. */
export interface Rules {
  readonly rules: StoreRules
  /** The oldest catalog that has a published release: it is for whom no rule is for. */
  readonly oldestPublished: string | undefined
  /** The ids of the tags of the accounts that were asked about. */
  readonly accountTags: readonly string[]
}

// The rules of a store as this process last read them, with the state that they were in.
const known = perInstance(
  () => new Memory<string, { readonly state: string; readonly rules: StoreRules }>(1000),
)

const state = 'SELECT s.state FROM catalog_rule_states s WHERE s.store_id = $1'

const oldest = `
  SELECT c.id FROM catalogs c WHERE c.store_id = $1 AND EXISTS (
    SELECT FROM catalog_releases r WHERE r.store_id = $1 AND r.catalog_id = c.id AND r.status = 'PUBLISHED')
  ORDER BY c.created_at, c.id LIMIT 1`

const tags = `
  SELECT json_agg(tag->>'id') FROM accounts a, jsonb_array_elements(a.account_tags) tag
  WHERE a.store_id = $1 AND a.id = ANY($2::uuid[])`

/** What is read before the rules: `$2` are the accounts that are asked about. */
export const beforeRules =
  `SELECT (${state}) AS state, (${oldest}) AS oldest_published, (${tags}) AS account_tags` as const

/** What a catalog is chosen by, for whoever calls for these accounts. */
export async function rulesFor(work: Work, accountIds: readonly string[]): Promise<Rules> {
  const [found = []] = await work.store.glance(beforeRules, accountIds)
  return rulesAfter(work, found)
}

/** What a catalog is chosen by, where `beforeRules` was read. */
export async function rulesAfter(
  work: Work,
  [now = null, oldestPublished, accountTags]: Tuple,
): Promise<Rules> {
  return {
    rules: await rulesIn(work, now),
    oldestPublished: oldestPublished ?? undefined,
    accountTags: JSON.parse(accountTags ?? '[]') as string[],
  }
}

const noRules: StoreRules = { inEffect: new RuleIndex<KnownRule>([]), written: [], pending: new Map() }

/** The rules of the store in a state that was just read, or in a later one. */
async function rulesIn(work: Work, now: string | null): Promise<StoreRules> {
  // There never was one.
  if (now === null) return noRules
  const before = known(work.instance).get(work.store.id)
  if (before?.state === now) return before.rules
  // One statement: what is read is in the state that is read with it.
  const [found] = await work.store.rows(
    `SELECT (${state}), (SELECT json_agg(json_build_array(r.id, r.created_at AT TIME ZONE 'UTC', r.doc->'attributes',
       r.hidden->'pending')) FROM catalog_rules r WHERE r.store_id = $1)`,
  )
  const rules = storeRules(JSON.parse(found?.[1] ?? '[]') as StoredRule[])
  known(work.instance).set(work.store.id, { state: found?.[0] ?? now, rules })
  return rules
}

type StoredRule = readonly [id: string, createdAt: string, values: RuleValues, pending: Pending | null]

function storeRules(rows: readonly StoredRule[]): StoreRules {
  const inEffect = rows.flatMap(([id, createdAt, written, pending]) => {
    const values = pending ? pending.in_effect : written
    return values ? [knownRule(id, createdAt, values)] : []
  })
  return {
    inEffect: new RuleIndex(inEffect),
    written: rows.map(([id, createdAt, written]) => knownRule(id, createdAt, written)),
    pending: new Map(rows.flatMap(([id, , , pending]) => (pending ? [[id, pending.waits_for]] : []))),
  }
}

function knownRule(id: string, createdAt: string, values: RuleValues): KnownRule {
  const { name, catalog_id, schedules, pricebook_ids } = values
  const asked = criteria.map((one) => [one, values[one]?.length ? new Set(values[one]) : undefined])
  return {
    id,
    name,
    createdAt,
    ...Object.fromEntries(asked),
    spans: schedules?.length ? schedules.map(spanOf) : undefined,
    catalogId: catalog_id,
    pricebookIds: pricebook_ids?.length ? inOrder(pricebook_ids) : undefined,
  }
}

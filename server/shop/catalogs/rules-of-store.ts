import { Memory } from '../../kernel/memory.ts'
import { columns, json, optional, optionalText } from '../../kernel/storage/columns.ts'
import type { Work } from '../../kernel/work/context.ts'
import { perInstance } from '../../kernel/work/per-instance.ts'
import type { RuleValues } from './catalog-rules.ts'
import type { PendingPricebooks } from './pending-rules.ts'
import { inOrder } from './prioritized-pricebooks.ts'
import { type Criterion, criteria, type ResolvedRule, type ShopperContext } from './resolve-rule.ts'
import { spanOf } from './schedules.ts'

/** A rule in the cache of this process. */
export interface CachedRule extends ResolvedRule {
  readonly catalogId: string
  /** The price books that replace those of the catalog, strongest first; undefined where there are none. */
  readonly pricebookIds: readonly string[] | undefined
}

export interface StoreRules {
  /** The rules that apply to shoppers. */
  readonly inEffect: RuleIndex<CachedRule>
  /** All rules as the merchant wrote them. */
  readonly written: readonly CachedRule[]
  /** The price books that rules wait for, by the ids of the rules. */
  readonly pending: ReadonlyMap<string, readonly string[]>
}

/** The data that chooses a catalog. */
export interface Rules {
  readonly rules: StoreRules
  /** The default catalog: the oldest one with a published release. It is used when no rule matches. */
  readonly oldestPublished: string | undefined
  /** The ids of the tags of the shopper's accounts. */
  readonly accountTags: readonly string[]
}

// The rules of a store as this process last read them, with their state.
const cachedRules = perInstance(
  () => new Memory<string, { readonly state: string; readonly rules: StoreRules }>(1000),
)

export const ruleStateSql = 'SELECT s.state FROM catalog_rule_states s WHERE s.store_id = $1'

/** The id of the default catalog. */
export const oldestPublishedSql = `
  SELECT c.id FROM catalogs c WHERE c.store_id = $1 AND EXISTS (
    SELECT FROM catalog_releases r WHERE r.store_id = $1 AND r.catalog_id = c.id AND r.status = 'PUBLISHED')
  ORDER BY c.created_at, c.id LIMIT 1`

const tags = `
  SELECT json_agg(tag->>'id') FROM accounts a, jsonb_array_elements(a.account_tags) tag
  WHERE a.store_id = $1 AND a.id = ANY($2::uuid[])`

/** The state of the rules, the default catalog and the account tags. `$2` are the shopper's accounts. */
export const ruleState = columns({
  state: [`(${ruleStateSql}) AS state`, optionalText],
  oldestPublished: [`(${oldestPublishedSql}) AS oldest_published`, optionalText],
  accountTags: [`(${tags}) AS account_tags`, optional(json<readonly string[]>)],
})

/** Reads the rules for a shopper with these accounts. */
export async function rulesFor(work: Work, accountIds: readonly string[]): Promise<Rules> {
  const [row = []] = await work.store.read(`SELECT ${ruleState.sql}`, accountIds)
  return loadRules(work, ruleState.read(row))
}

/** Loads the rules of a state: from the cache if they have not changed. */
export const loadRules = async (
  work: Work,
  { state, oldestPublished, accountTags = [] }: ReturnType<typeof ruleState.read>,
): Promise<Rules> => ({ rules: await rulesIn(work, state), oldestPublished, accountTags })

/** Rules by the values of their criteria, so that the rules of a shopper are found without looking at the others. */
export class RuleIndex<R extends ResolvedRule> {
  readonly all: readonly R[]
  readonly #byValue = new Map<string, R[]>()
  readonly #forAnyone: R[] = []

  constructor(rules: readonly R[]) {
    this.all = rules
    for (const rule of rules) {
      const keys = criteria.flatMap((one) => [...(rule[one] ?? [])].map((value) => keyOf(one, value)))
      for (const key of keys) this.#enter(key, rule)
      if (!keys.length) this.#forAnyone.push(rule)
    }
  }

  #enter(key: string, rule: R): void {
    const entry = this.#byValue.get(key)
    if (entry) entry.push(rule)
    else this.#byValue.set(key, [rule])
  }

  /** Rules without criteria, and rules with at least one criterion that matches the shopper. */
  about(context: ShopperContext): ReadonlySet<R> {
    const rules = new Set(this.#forAnyone)
    for (const criterion of criteria) {
      for (const value of context[criterion]) {
        for (const rule of this.#byValue.get(keyOf(criterion, value)) ?? []) rules.add(rule)
      }
    }
    return rules
  }
}

const keyOf = (criterion: Criterion, value: string) => `${criterion} ${value}`

const noRules: StoreRules = { inEffect: new RuleIndex<CachedRule>([]), written: [], pending: new Map() }

/** The rules of the store in this state, or in a later one. */
async function rulesIn(work: Work, now: string | undefined): Promise<StoreRules> {
  // The store never had a rule.
  if (now === undefined) return noRules
  const before = cachedRules(work.instance).get(work.store.id)
  if (before?.state === now) return before.rules
  // One statement reads the rules and their state together, and of the rules what chooses one: the rest may be long.
  const [row] = await work.store.run(
    `SELECT (${ruleStateSql}), (SELECT json_agg(json_build_array(r.id, r.created_at AT TIME ZONE 'UTC',
       ${chosenBy("r.doc->'attributes'")}, CASE WHEN r.hidden->'pending' IS NOT NULL THEN json_build_object(
         'waits_for', r.hidden->'pending'->'waits_for',
         'in_effect', CASE json_typeof(r.hidden->'pending'->'in_effect') WHEN 'object' THEN
           ${chosenBy("r.hidden->'pending'->'in_effect'")} END) END))
       FROM catalog_rules r WHERE r.store_id = $1)`,
  )
  const rules = storeRules(JSON.parse(row?.[1] ?? '[]') as StoredRule[])
  cachedRules(work.instance).set(work.store.id, { state: row?.[0] ?? now, rules })
  return rules
}

const chosenByNames = ['name', 'catalog_id', 'schedules', 'pricebook_ids', ...criteria] as const

const chosenBy = (values: string) =>
  `json_build_object(${chosenByNames.map((name) => `'${name}', ${values}->'${name}'`).join(', ')})`

/** What a rule is chosen by, and what it chooses. Null where it has none. */
type ChoosingValues = Pick<RuleValues, (typeof chosenByNames)[number]>

type StoredRule = readonly [
  id: string,
  createdAt: string,
  values: ChoosingValues,
  pending: (Pick<PendingPricebooks, 'waits_for'> & { readonly in_effect: ChoosingValues | null }) | null,
]

function storeRules(rows: readonly StoredRule[]): StoreRules {
  const inEffect = rows.flatMap(([id, createdAt, written, pending]) => {
    const values = pending ? pending.in_effect : written
    return values ? [toCachedRule(id, createdAt, values)] : []
  })
  return {
    inEffect: new RuleIndex(inEffect),
    written: rows.map(([id, createdAt, written]) => toCachedRule(id, createdAt, written)),
    pending: new Map(rows.flatMap(([id, , , pending]) => (pending ? [[id, pending.waits_for]] : []))),
  }
}

function toCachedRule(id: string, createdAt: string, values: ChoosingValues): CachedRule {
  const { name, catalog_id, schedules, pricebook_ids } = values
  const valueSets = criteria.map((one) => [one, values[one]?.length ? new Set(values[one]) : undefined])
  return {
    id,
    name,
    createdAt,
    ...Object.fromEntries(valueSets),
    spans: schedules?.length ? schedules.map(spanOf) : undefined,
    catalogId: catalog_id,
    pricebookIds: pricebook_ids?.length ? inOrder(pricebook_ids) : undefined,
  }
}

import { Memory } from '../../kernel/memory.ts'
import type { Tuple } from '../../kernel/storage/database.ts'
import type { Work } from '../../kernel/work/context.ts'
import { perInstance } from '../../kernel/work/per-instance.ts'
import type { DisplayCurrency } from '../../prices/index.ts'
import { currencies } from '../../store/index.ts'
import { accountsOf, type ChosenCatalog, choiceHoldsUntil, chooseCatalog } from '../catalogs/catalog-for.ts'
import { loadRules, oldestPublishedSql, ruleState, ruleStateSql } from '../catalogs/rules-of-store.ts'
import type { CatalogShopper } from '../catalogs/shopper-context.ts'
import {
  type CatalogEdition,
  currentEdition,
  currentEditionSql,
  editionColumns,
  editionOf,
} from '../publishing/editions.ts'
import { missingBooks, pricebooksFor, type ShopContext } from './shop-context.ts'

/** The shop of a shopper. */
interface ShopResult {
  /** The currencies that prices may be shown in. */
  readonly currencies: readonly DisplayCurrency[]
  /** Undefined where no catalog is published for the shopper. */
  readonly chosen: ChosenCatalog | undefined
  /** Undefined where nothing is published for the shopper. */
  readonly context: ShopContext | undefined
  /** The next instant at which the rules may choose another catalog, or other price books. */
  readonly holdsUntil: () => Date | undefined
}

interface ShopQuery {
  /** The instant of the edition. Default: the current edition. */
  readonly asOf?: Date | undefined
  /** The release to read, if the catalog has it and it is still kept. */
  readonly releaseId?: string | undefined
}

const currenciesSql = `SELECT json_agg(doc) FROM ${currencies.table} WHERE store_id = $1` as const

export const shopSql = `SELECT r.*, e.*, (${currenciesSql}) FROM (SELECT ${ruleState.sql}) r
  LEFT JOIN LATERAL (${currentEditionSql('r.oldest_published')}) e ON true` as const

/** Finds the shop of a shopper. The rules choose its catalog. Most shops take one statement. */
export async function findShop(
  work: Work,
  shopper: CatalogShopper,
  { asOf, releaseId }: ShopQuery,
): Promise<ShopResult> {
  const [row = []] = await work.store.read(shopSql, accountsOf(shopper), asOf ?? null)
  return shopFrom(work, shopper, sourcesIn(row), { asOf, releaseId })
}

/** What the shops of a store are made of. */
interface ShopSources {
  readonly rules: ReturnType<typeof ruleState.read>
  /** The current edition of the default catalog. */
  readonly oldest: CatalogEdition | undefined
  readonly currencies: readonly DisplayCurrency[]
}

/** From a row of `shopSql`. */
function sourcesIn(row: Tuple): ShopSources {
  const rules = ruleState.read(row)
  const [catalogId, edition] = [rules.oldestPublished, row.slice(ruleState.count)]
  return {
    rules,
    oldest:
      catalogId !== undefined && edition[0] ? { ...editionColumns.read(edition), catalogId } : undefined,
    currencies: parseCurrencies(edition[editionColumns.count]),
  }
}

async function shopFrom(
  work: Work,
  shopper: CatalogShopper,
  { rules: stored, oldest, currencies }: ShopSources,
  query: ShopQuery,
): Promise<ShopResult> {
  const rules = await loadRules(work, stored)
  const chosen = chooseCatalog(shopper, rules)
  return {
    currencies,
    chosen,
    context: chosen && (await findContext(work, chosen, oldest, query)),
    holdsUntil: () => choiceHoldsUntil(shopper, rules),
  }
}

const releaseStateSql = `SELECT concat_ws(',', count(*), max(e.published_at), sum((e.made_of->>'additions')::integer),
  count(*) FILTER (WHERE e.withdrawn)) FROM catalog_editions e WHERE e.store_id = $1`
// A new currency may follow one that was deleted, with the same version.
const currencyStateSql = `SELECT md5(string_agg(concat(c.id, c.version), ',' ORDER BY c.id)) FROM currencies c WHERE c.store_id = $1`

/** What all shops of a store depend on: its rules, releases and currencies. */
export const shopStateSql = `concat_ws('|', (${ruleStateSql}), (${releaseStateSql}), (${currencyStateSql}), (${oldestPublishedSql}))`

const remembered = perInstance(
  () => new Memory<string, { readonly state: string; readonly sources: ShopSources }>(1000),
)

/** What a caller has read of the store: `shopStateSql`, and the ids of the tags of the shopper's account. */
export interface ShopState {
  readonly state: string
  readonly accountTags: readonly string[]
}

/** As `findShop`, without a statement where the process has read the shops of this state before. */
export async function findShopInState(
  work: Work,
  shopper: CatalogShopper,
  { state, accountTags }: ShopState,
): Promise<ShopResult> {
  const memory = remembered(work.instance)
  let known = memory.get(work.store.id)
  if (known?.state !== state) {
    // The state and what it is about, in one snapshot: it may be newer than the caller's.
    const [row = []] = await work.store.read(`SELECT ${shopStateSql}, s.* FROM (${shopSql}) s`, [], null)
    known = { state: row[0] as string, sources: sourcesIn(row.slice(1)) }
    memory.set(work.store.id, known)
  }
  const { rules, ...others } = known.sources
  return shopFrom(work, shopper, { rules: { ...rules, accountTags }, ...others }, {})
}

async function findContext(
  work: Work,
  { catalogId, pricebookIds, shopper }: ChosenCatalog,
  oldest: CatalogEdition | undefined,
  { asOf, releaseId }: ShopQuery,
): Promise<ShopContext | undefined> {
  const pinned = await findEdition(work, catalogId, releaseId)
  const published =
    // If an older edition lacks price books of the rule, the current edition is used.
    (pinned && !missingBooks(pinned, pricebookIds).length ? pinned : undefined) ??
    (catalogId === oldest?.catalogId ? oldest : await findEditionAt(work, catalogId, asOf))
  if (!published) return undefined
  // The current edition has all price books of rules. A past edition may lack some.
  const unpublished = asOf ? missingBooks(published, pricebookIds) : []
  return { published, ...pricebooksFor(published, pricebookIds, unpublished), at: shopper.at }
}

/** The edition of a release; undefined where the release is not named, or not kept. */
export async function findEdition(
  work: Work,
  catalogId: string,
  releaseId: string | undefined,
): Promise<CatalogEdition | undefined> {
  const edition = releaseId === undefined ? undefined : await editionOf(work, catalogId, releaseId)
  return edition && { ...edition, catalogId }
}

/** The edition at an instant, or the current one. */
async function findEditionAt(
  work: Work,
  catalogId: string,
  asOf: Date | undefined,
): Promise<CatalogEdition | undefined> {
  const edition = await currentEdition(work, catalogId, asOf)
  return edition && { ...edition, catalogId }
}

/** The currencies that prices may be shown in. */
export async function findCurrencies({ store }: Pick<Work, 'store'>): Promise<readonly DisplayCurrency[]> {
  const [[currencies] = []] = await store.read(currenciesSql)
  return parseCurrencies(currencies)
}

const parseCurrencies = (docs: string | null | undefined) => JSON.parse(docs ?? '[]') as DisplayCurrency[]

import type { Work } from '../../kernel/work/context.ts'
import type { DisplayCurrency } from '../../prices/index.ts'
import { currencies } from '../../store/index.ts'
import { accountsOf, type ChosenCatalog, choiceHoldsUntil, chooseCatalog } from '../catalogs/catalog-for.ts'
import { loadRules, ruleState } from '../catalogs/rules-of-store.ts'
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
  const rules = await loadRules(work, ruleState.read(row))
  const chosen = chooseCatalog(shopper, rules)
  const [catalogId, edition] = [rules.oldestPublished, row.slice(ruleState.count)]
  const oldest =
    catalogId !== undefined && edition[0] ? { ...editionColumns.read(edition), catalogId } : undefined
  return {
    currencies: parseCurrencies(row.at(-1)),
    chosen,
    context: chosen && (await findContext(work, chosen, oldest, { asOf, releaseId })),
    holdsUntil: () => choiceHoldsUntil(shopper, rules),
  }
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

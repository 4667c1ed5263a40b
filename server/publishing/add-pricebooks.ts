import { catalogs, pendingRules, pricebooksOfRules, putIntoEffect } from '../catalogs/index.ts'
import type { Work } from '../kernel/work/context.ts'
import type { LongJob } from '../kernel/work/job.ts'
import { currentEdition, type Edition } from './editions.ts'
import { publishAddedPriceSpans } from './publish-added-price-spans.ts'
import { publishAddedPrices } from './publish-prices.ts'

/** Price books that rules name and the current edition lacks. See docs/decisions/0030-pricebooks-of-rules.md. */

interface Asked {
  readonly catalogId: string
}

/** Adds the price books that rules name to the current release of a catalog, and puts the rules into effect. */
export const addPricebooks: LongJob<Asked> = {
  name: 'publishing:add-pricebooks',
  long: true,
  run: async (work, { catalogId }) => {
    // Rules that are written meanwhile may name others.
    for (let waits = true; waits; ) {
      await work.snapshot((inside) => addMissingPricebooks(inside, catalogId))
      waits = await putReadyIntoEffect(work, catalogId)
    }
  },
  // The rules say themselves that they wait.
  wait: async () => {},
  // They go on waiting. The next release has the price books, and puts the rules into effect.
  giveUp: async (work, { catalogId }, reason) =>
    work.instance.log.error(
      { catalog: catalogId, reason },
      'the price books of rules were not added to the release',
    ),
}

/** See `PricebooksToAdd`. */
export async function pricebooksToAdd(
  work: Work,
  catalogId: string,
  pricebookIds: readonly string[],
): Promise<readonly string[] | undefined> {
  const missing = missingFrom(await currentEdition(work, catalogId), pricebookIds)
  // The release that is being made may be made of the rules as they were.
  if (!missing.length && !(await isBeingPublished(work, catalogId))) return undefined
  await work.later(addPricebooks, { catalogId })
  return missing
}

/** After a release: puts rules into effect that were written while it was made. */
export async function addPricebooksAfter(work: Work, catalogId: string): Promise<void> {
  if ((await pendingRules(work, catalogId)).length) await work.later(addPricebooks, { catalogId })
}

/**
 * Adds the price books to the current edition, at their prices of now, in the transaction that is open. No rule goes by
 * them yet, so nobody sees a difference.
 */
export async function addMissingPricebooks(work: Work, catalogId: string): Promise<void> {
  const edition = await currentEdition(work, catalogId)
  const missing = missingFrom(edition, await pricebooksOfRules(work, catalogId))
  if (!edition || !missing.length) return
  const additions = (edition.madeOf.additions ?? 0) + 1
  const addition = { work, catalogId, edition: edition.edition, pricebookIds: missing, additions }
  await publishAddedPrices(addition)
  await publishAddedPriceSpans(addition)
  const { addedPricebookIds = [], pricebookIds, ...madeOf } = edition.madeOf
  await work.store.rows(
    'UPDATE catalog_editions SET made_of = $4 WHERE store_id = $1 AND catalog_id = $2 AND edition = $3',
    catalogId,
    edition.edition,
    JSON.stringify({
      ...madeOf,
      pricebookIds: [...pricebookIds, ...missing].sort(),
      addedPricebookIds: [...addedPricebookIds, ...missing],
      additions,
    }),
  )
}

/** Where rules do not choose price books, or nothing is published, nothing is missing. */
const missingFrom = (edition: Edition | undefined, pricebookIds: readonly string[]): readonly string[] =>
  edition?.madeOf.segmented ? pricebookIds.filter((id) => !edition.madeOf.pricebookIds.includes(id)) : []

/** Whether rules are left whose price books are still missing. */
async function putReadyIntoEffect(work: Work, catalogId: string): Promise<boolean> {
  return work.transaction(async (inside) => {
    await inside.store.hold(catalogs, catalogId)
    // Whoever publishes it sees to that in the end.
    if (await isBeingPublished(inside, catalogId)) return false
    const edition = await currentEdition(inside, catalogId)
    const pending = await pendingRules(inside, catalogId)
    const ready = pending.filter(({ pricebookIds }) => !missingFrom(edition, pricebookIds).length)
    await putIntoEffect(
      inside,
      ready.map(({ id }) => id),
    )
    return ready.length < pending.length
  })
}

async function isBeingPublished({ store }: Work, catalogId: string): Promise<boolean> {
  const rows = await store.rows(
    `SELECT FROM catalog_releases WHERE store_id = $1 AND catalog_id = $2 AND status = 'IN_PROGRESS' LIMIT 1`,
    catalogId,
  )
  return rows.length > 0
}

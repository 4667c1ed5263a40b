import type { Work } from '../../kernel/work/context.ts'
import type { LongJob } from '../../kernel/work/job.ts'
import { catalogs } from '../catalogs/catalogs.ts'
import { pendingRules, pricebooksOfRules, putIntoEffect } from '../catalogs/pending-rules.ts'
import { currentEdition, type Edition } from './editions.ts'
import { publishAddedPriceSpans } from './publish-price-spans.ts'
import { publishAddedPrices } from './publish-prices.ts'

/** Price books of rules that the current edition lacks. See docs/decisions/0030-pricebooks-of-rules.md. */

interface AddPricebooksPayload {
  readonly catalogId: string
}

/** Adds the price books of rules to the current release of a catalog, and puts the rules into effect. */
export const addPricebooks: LongJob<AddPricebooksPayload> = {
  name: 'publishing:add-pricebooks',
  long: true,
  run: async (work, { catalogId }) => {
    // Rules that are written meanwhile may need more price books.
    for (let waits = true; waits; ) {
      await work.snapshot((inside) => addMissingPricebooks(inside, catalogId))
      waits = await putReadyIntoEffect(work, catalogId)
    }
  },
  // The rules show that they wait.
  wait: async () => {},
  // The rules continue to wait for the next release, which has their price books.
  giveUp: async (work, { catalogId }, reason) =>
    work.instance.log.error(
      { catalog: catalogId, reason },
      'the price books of rules were not added to the release',
    ),
}

/** See `pricebooksToAdd`. */
export async function queueMissingPricebooks(
  work: Work,
  catalogId: string,
  pricebookIds: readonly string[],
): Promise<readonly string[] | undefined> {
  const missing = missingFrom(await currentEdition(work, catalogId), pricebookIds)
  // A release that is being published may have read the rules before.
  if (!missing.length && !(await isBeingPublished(work, catalogId))) return undefined
  await work.later(addPricebooks, { catalogId })
  return missing
}

/** Puts rules into effect that were written while a release was published. */
export async function addPricebooksAfter(work: Work, catalogId: string): Promise<void> {
  if ((await pendingRules(work, catalogId)).length) await work.later(addPricebooks, { catalogId })
}

/**
 * Adds the price books to the current edition with their current prices, in the open transaction. No rule uses them
 * yet, so shoppers see no difference.
 */
export async function addMissingPricebooks(work: Work, catalogId: string): Promise<void> {
  const edition = await currentEdition(work, catalogId)
  const missing = missingFrom(edition, await pricebooksOfRules(work, catalogId))
  if (!edition || !missing.length) return
  const additions = (edition.sources.additions ?? 0) + 1
  const addition = { work, catalogId, edition: edition.edition, pricebookIds: missing, additions }
  await publishAddedPrices(addition)
  await publishAddedPriceSpans(addition)
  const { addedPricebookIds = [], pricebookIds, ...sources } = edition.sources
  await work.store.run(
    'UPDATE catalog_editions SET made_of = $4 WHERE store_id = $1 AND catalog_id = $2 AND edition = $3',
    catalogId,
    edition.edition,
    JSON.stringify({
      ...sources,
      pricebookIds: [...pricebookIds, ...missing].sort(),
      addedPricebookIds: [...addedPricebookIds, ...missing],
      additions,
    }),
  )
}

/** Nothing is missing where rules do not choose price books, or nothing is published. */
const missingFrom = (edition: Edition | undefined, pricebookIds: readonly string[]): readonly string[] =>
  edition?.sources.segmented ? pricebookIds.filter((id) => !edition.sources.pricebookIds.includes(id)) : []

/** Returns whether rules are left that still wait for price books. */
async function putReadyIntoEffect(work: Work, catalogId: string): Promise<boolean> {
  return work.transaction(async (inside) => {
    await inside.store.lock(catalogs, catalogId)
    // The publishing job does this when it ends.
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
  const rows = await store.run(
    `SELECT FROM catalog_releases WHERE store_id = $1 AND catalog_id = $2 AND status = 'IN_PROGRESS' LIMIT 1`,
    catalogId,
  )
  return rows.length > 0
}

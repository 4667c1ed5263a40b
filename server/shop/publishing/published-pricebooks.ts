import type { Work } from '../../kernel/work/context.ts'
import { pricebooksOfRules } from '../catalogs/pending-rules.ts'
import { inOrder, type PrioritizedPricebook } from '../catalogs/prioritized-pricebooks.ts'
import type { EditionSources } from './editions.ts'

/** The price books that a catalog names. */
interface CatalogPricebooks {
  readonly pricebook_id?: string | null | undefined
  readonly pricebook_ids?: readonly PrioritizedPricebook[] | null | undefined
  readonly enable_price_segmentation?: boolean | undefined
}

/** The price books that are published with a catalog: its own, and those of catalog rules. */
export async function publishedPricebooks(
  work: Work,
  catalogId: string,
  { pricebook_id, pricebook_ids, enable_price_segmentation: segmented = false }: CatalogPricebooks,
): Promise<Pick<EditionSources, 'pricebookIds' | 'ownPricebookIds' | 'segmented'>> {
  const own = [pricebook_id ?? [], inOrder(pricebook_ids ?? [])].flat()
  if (!segmented) return { pricebookIds: own, ownPricebookIds: own, segmented }
  const pricebookIds = [...new Set([...own, ...(await pricebooksOfRules(work, catalogId))])].sort()
  return { pricebookIds, ownPricebookIds: own, segmented }
}

import type { View } from './view.ts'

/** Why this catalog, this release and these price books: what is the same of all that an answer shows. */
export function explanationOf({ explains, published, books, unpublishedBooks, at }: View) {
  if (!explains) return undefined
  const { chosen } = explains
  const waiting = chosen?.waiting()
  return {
    at: at.toISOString(),
    catalog_id: published.catalogId,
    release_id: published.releaseId,
    pricebook_ids: books,
    ...(unpublishedBooks && { unpublished_pricebook_ids: unpublishedBooks }),
    ...(waiting && { waiting_catalog_rule: waiting }),
    ...(chosen && { catalog_rule: chosen.rule ?? null, catalog_rules: chosen.trace() }),
  }
}

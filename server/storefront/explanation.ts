import type { View } from './view.ts'

/** Why this catalog, this release and these price books: what is the same of all that an answer shows. */
export function explanationOf({ explains, published, books, at }: View) {
  if (!explains) return undefined
  const { chosen } = explains
  return {
    at: at.toISOString(),
    catalog_id: published.catalogId,
    release_id: published.releaseId,
    pricebook_ids: books,
    ...(chosen && { catalog_rule: chosen.rule ?? null, catalog_rules: chosen.trace() }),
  }
}

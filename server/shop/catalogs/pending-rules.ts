import type { Work } from '../../kernel/work/context.ts'
import type { RuleValues } from './catalog-rules.ts'

/**
 * The price books of a rule that the current release of its catalog lacks. See docs/decisions/0030-pricebooks-of-
 * rules.md.
 */
export interface PendingPricebooks {
  /** The version of the rule that applies until then; null where the rule is new. */
  readonly in_effect: RuleValues | null
  /** The price books that are being added to the release. */
  readonly waits_for: readonly string[]
}

/** The price books of a catalog's rules, as they are written and as they are in effect. */
export async function pricebooksOfRules({ store }: Work, catalogId: string): Promise<readonly string[]> {
  const rows = await store.run(
    `SELECT DISTINCT b.book->>'id' FROM (
       SELECT r.doc->'attributes'->'pricebook_ids' AS books FROM catalog_rules r
       WHERE r.store_id = $1 AND r.catalog_id = $2
       UNION ALL
       SELECT r.hidden->'pending'->'in_effect'->'pricebook_ids' FROM catalog_rules r
       WHERE r.store_id = $1 AND r.hidden->'pending' IS NOT NULL
         AND r.hidden->'pending'->'in_effect'->>'catalog_id' = $2::text
     ) named
     CROSS JOIN json_array_elements(CASE json_typeof(books) WHEN 'array' THEN books END) b (book)`,
    catalogId,
  )
  return rows.map(([id]) => id as string)
}

interface PendingRule {
  readonly id: string
  readonly pricebookIds: readonly string[]
}

/** The rules of a catalog that are not in effect as they are written. */
export async function pendingRules({ store }: Work, catalogId: string): Promise<readonly PendingRule[]> {
  const rows = await store.run(
    `SELECT r.id, (SELECT json_agg(b.book->>'id')
       FROM json_array_elements(r.doc->'attributes'->'pricebook_ids') b (book))
     FROM catalog_rules r
     WHERE r.store_id = $1 AND r.hidden->'pending' IS NOT NULL AND r.catalog_id = $2 ORDER BY r.id`,
    catalogId,
  )
  return rows.map(([id, books]) => ({
    id: id as string,
    pricebookIds: JSON.parse(books ?? '[]') as string[],
  }))
}

/** Puts rules into effect as they are written. */
export async function putIntoEffect({ store }: Work, ids: readonly string[]): Promise<void> {
  if (!ids.length) return
  await store.changeAll(
    { table: 'catalog_rules' },
    {
      where: (bind) => `r.id = ANY(${bind(ids)}::uuid[])`,
      hidden: () => `(r.hidden::jsonb - 'pending')::json`,
    },
  )
}

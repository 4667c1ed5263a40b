import { isDeepStrictEqual } from 'node:util'
import { Problem } from '../../kernel/errors.ts'
import type { Work } from '../../kernel/work/context.ts'

/** Every change of a cart looks at all of them. */
const conditionsMax = 2500

interface ConditionedPromotion {
  readonly id: string
  readonly doc: {
    readonly enabled: boolean
    readonly automatic: boolean
    readonly schema?: unknown
    readonly rule_set?: unknown
  }
  readonly hidden: { readonly ends_at_ms?: number | undefined }
}

interface ConditionLimit {
  readonly table: string
  /** Where the conditions are. */
  readonly member: 'schema' | 'rule_set'
  /** What the promotions are called. */
  readonly words: string
  /** What is counted. */
  readonly counted: string
}

/**
 * Refuses a promotion that has just been written if all automatic ones that run or are scheduled now have too many
 * conditions. Writes of promotions of one store wait for each other, so each sees what the one before has written.
 */
export async function limitConditions(
  { store, clock }: Work,
  { table, member, words, counted }: ConditionLimit,
  row: ConditionedPromotion,
  before: ConditionedPromotion | undefined,
): Promise<void> {
  const now = clock.now()
  const counts = ({ doc, hidden }: ConditionedPromotion) =>
    doc.enabled && doc.automatic && (hidden.ends_at_ms ?? 0) > now.getTime()
  if (!counts(row)) return
  if (before && counts(before) && isDeepStrictEqual(before.doc[member], row.doc[member])) return
  const [[all, own] = []] = await store.run(
    `SELECT sum(conditions), sum(conditions) FILTER (WHERE id = $3) FROM ${table}
     WHERE store_id = $1 AND enabled AND automatic AND ends_at > $2`,
    now,
    row.id,
  )
  if (Number(all) <= conditionsMax) return
  const detail = `The automatic ${words} of a store that run or are scheduled can have at most ${conditionsMax} ${counted} in all: the others have ${Number(all) - Number(own)}, this one has ${own}.`
  throw new Problem('unprocessable', detail, { title: 'Too many conditions', source: `data.${member}` })
}

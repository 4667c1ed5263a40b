import { Problem } from '../../kernel/errors.ts'
import { group, integer, list, reference } from '../../kernel/shape/fields.ts'
import type { Work } from '../../kernel/work/context.ts'

/** Price books by priority. If two have a price for a product, the one with the higher priority applies. */

export interface PrioritizedPricebook {
  readonly id: string
  readonly priority: number
}

const pricebooksMax = 5

export const prioritizedPricebooks = (about: string) =>
  list(
    group(
      {
        id: reference('pricebook', { required: true, about: 'The price book.' }),
        priority: integer({ required: true, about: 'The price book with the highest priority comes first.' }),
      },
      {},
    ),
    { nullable: true, maxItems: pricebooksMax, about },
  )

/** The ids of price books, highest priority first. Equal priorities are sorted by id. */
export const inOrder = (pricebooks: readonly PrioritizedPricebook[]): readonly string[] =>
  pricebooks
    .toSorted((one, other) => other.priority - one.priority || (one.id < other.id ? -1 : 1))
    .map(({ id }) => id)

/** Refuses price books that do not exist, and locks the others until the transaction ends. */
export async function lockPricebooks({ store }: Work, ids: readonly string[], source: string): Promise<void> {
  if (!ids.length) return
  const twice = ids.findIndex((id, i) => ids.indexOf(id) < i)
  if (twice >= 0) {
    const detail = `The price book ${ids[twice]} is in the list twice, at ${ids.indexOf(ids[twice] as string)} and at ${twice}. List it once.`
    throw new Problem('unprocessable', detail, { source })
  }
  const existing = await store.lockShared({ table: 'pricebooks' }, ...ids)
  const missing = ids.filter((id) => !existing.has(id))
  if (!missing.length) return
  throw new Problem('unprocessable', `No price book has the id ${missing.join(', or ')}.`, { source })
}

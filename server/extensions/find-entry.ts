import type { Work } from '../kernel/context.ts'
import type { DefinedField, Definition } from './definition.ts'
import { foldCase } from './entry-values.ts'

/** The id of the entry whose URL ends in this value. */
export async function findByUrlSlug(
  work: Work,
  field: DefinedField,
  value: string,
): Promise<string | undefined> {
  const compared = field.rules.unique_case_insensitivity ? foldCase(value) : value
  const [found] = await work.store.rows(
    `SELECT entry_id FROM entry_values
     WHERE store_id = $1 AND field_id = $2 AND unique_key = entry_unique_key(NULL, NULL, $3)`,
    field.id,
    compared,
  )
  return found?.[0] ?? undefined
}

/** Until this transaction ends no other one creates an entry under this address. */
export const waitForTurn = (work: Work, { id }: Definition, address: string): Promise<void> =>
  work.store.takeTurn(`${id} ${address.toLowerCase()}`)

import type { Work } from '../kernel/context.ts'
import type { DefinedField, Definition } from './definition.ts'
import { foldCase } from './entry-values.ts'

/** The condition on the entry whose URL ends in this name. */
export function namedBy(field: DefinedField, name: string, bind: (value: unknown) => string): string {
  const compared = field.rules.unique_case_insensitivity ? foldCase(name) : name
  return `id = (SELECT entry_id FROM entry_values WHERE store_id = $1 AND field_id = ${bind(field.id)}::uuid
    AND unique_key = entry_unique_key(NULL, NULL, ${bind(compared)}))`
}

/** Until this transaction ends no other one creates an entry under this address. */
export const waitForTurn = (work: Work, { id }: Definition, address: string): Promise<void> =>
  work.store.takeTurn(`${id} ${address.toLowerCase()}`)

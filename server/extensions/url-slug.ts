import type { DefinedField } from './definition.ts'
import { foldCase } from './entry-values.ts'

/** SQL for the id of the entry with this URL slug. */
export function idNamed({ id, rules }: DefinedField, name: string, bind: (value: unknown) => string): string {
  const compared = rules.unique_case_insensitivity ? foldCase(name) : name
  return `(SELECT entry_id FROM entry_values WHERE store_id = $1 AND field_id = ${bind(id)}::uuid
    AND unique_key = entry_unique_key(NULL, NULL, ${bind(compared)}))`
}

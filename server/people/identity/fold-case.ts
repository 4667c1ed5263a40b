import { caseless } from '../../kernel/storage/expressions.ts'
import type { Work } from '../../kernel/work/context.ts'

/**
 * Folds the case of a name as the database does. JavaScript folds some letters differently, so an attacker who guesses
 * would get a new counter for each such spelling of a name.
 */
export async function foldCase(work: Work, name: string): Promise<string> {
  const [row] = await work.store.read(`SELECT ${caseless('$2::text')} WHERE $1::uuid IS NOT NULL`, name)
  return row?.[0] as string
}

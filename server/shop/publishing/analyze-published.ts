import type { Instance } from '../../kernel/work/context.ts'
import { publishedTables } from './editions.ts'

/** Updates the statistics that PostgreSQL plans by. It would do so itself within minutes. Locked tables are skipped. */
export async function analyzePublished({ database }: Instance): Promise<void> {
  const text = `ANALYZE (SKIP_LOCKED) ${publishedTables.join(', ')}`
  await database.run({ text, values: [], long: true, once: true })
}

import type { Work } from '../kernel/work/context.ts'

/**
 * A name as the database compares it, in upper and lower case alike. JavaScript folds some letters otherwise: whoever
 * guesses would be counted anew for each such spelling of one name.
 */
export async function folded(work: Work, name: string): Promise<string> {
  const [row] = await work.store.glance(
    `SELECT lower($2::text COLLATE "default") WHERE $1::uuid IS NOT NULL`,
    name,
  )
  return row?.[0] as string
}

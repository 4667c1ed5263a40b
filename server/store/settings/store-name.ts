import { readSingleton } from '../../kernel/request/singletons.ts'
import type { Work } from '../../kernel/work/context.ts'
import { settings } from './settings.ts'

/** The name that the store has in its settings, or else the one that the operator gave it. */
export async function storeName(work: Work): Promise<string> {
  const { name } = await readSingleton(work, settings)
  if (name !== '') return name
  const [row] = await work.store.read('SELECT name FROM stores WHERE id = $1')
  return row?.[0] ?? ''
}

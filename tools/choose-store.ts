import type { Database } from '../server/kernel/storage/database.ts'
import { StartupRefusal } from '../server/platform/faults.ts'
import { listStores } from '../server/stores.ts'

/** The store that an operator names, or the only one. */
export async function chooseStore(database: Database, wanted: string | undefined): Promise<string> {
  const [table] = await database.run({ text: `SELECT to_regclass('stores')`, values: [] })
  const stores = table?.[0] == null ? [] : await listStores(database)
  const found = stores.filter(({ id }) => wanted === undefined || id === wanted)
  const [one] = found
  if (one && found.length === 1) return one.id
  throw new StartupRefusal(
    stores.length > 0
      ? `choose one of the stores with --store: ${stores.map(({ id, name }) => `${id} (${name})`).join(', ')}`
      : 'this server has no store yet: start it once',
  )
}

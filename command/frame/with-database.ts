import { type Config, readConfig } from '../../server/config.ts'
import type { Database } from '../../server/kernel/storage/database.ts'
import { chooseStore } from '../../tools/choose-store.ts'
import { openDatabase } from '../../tools/open-database.ts'

/** Runs work on the database of these settings, whether a server runs on it or not. */
export async function withDatabase<T>(
  work: (database: Database, config: Config, url: string) => Promise<T>,
): Promise<T> {
  const config = readConfig()
  const { database, url, close } = await openDatabase(config, true)
  try {
    return await work(database, config, url)
  } finally {
    await close()
  }
}

/** As `withDatabase`, for one of its stores. */
export const withStore = <T>(
  wanted: string | undefined,
  work: (database: Database, storeId: string) => Promise<T>,
): Promise<T> => withDatabase(async (database) => work(database, await chooseStore(database, wanted)))

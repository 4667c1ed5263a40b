import type { Instance, Work } from './context.ts'
import { workOf } from './work-of.ts'

/** What a module gives every store on its first day. */
interface FirstDays {
  readonly name: string
  readonly firstDay?: (work: Work) => Promise<void>
}

/**
 * Gives every store what it has from its first day, by the modules that say so: a new store all of it, a store that is
 * there already what a module of a later version brings. Each once, in a transaction of its own.
 */
export async function prepareStores(instance: Instance, modules: readonly FirstDays[]): Promise<void> {
  const { database } = instance
  for (const { name, firstDay } of modules) {
    if (!firstDay) continue
    const lacking = await database.run({
      text: `SELECT id FROM stores s WHERE NOT EXISTS (
               SELECT FROM first_days d WHERE d.store_id = s.id AND d.chapter = $1) ORDER BY id`,
      values: [name],
    })
    for (const [storeId] of lacking) {
      await workOf(instance, { store: storeId as string, by: 'system ' }).transaction(async (work) => {
        // Processes that start at the same time do it once.
        const [inserted] = await work.store.run(
          'INSERT INTO first_days (store_id, chapter, given_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING 1',
          name,
          work.clock.now(),
        )
        if (inserted) await firstDay(work)
      })
    }
  }
}

import type { Instance, Work } from './context.ts'
import { workOf } from './work-of.ts'

/** Runs a statement for each store, without the usual time limit. `$1` is the id of the store, the values follow. */
export async function runInEveryStore(
  { database }: Pick<Instance, 'database'>,
  text: string,
  ...values: readonly unknown[]
): Promise<void> {
  const stores = await database.run({ text: 'SELECT id FROM stores ORDER BY id', values: [] })
  for (const [storeId] of stores) await database.run({ text, values: [storeId, ...values], long: true })
}

/** A module with objects that every store has from its first day. */
interface FirstDays {
  readonly name: string
  readonly firstDay?: (work: Work) => Promise<void>
}

/**
 * Runs the `firstDay` of each module, once for each store, in a transaction of its own. A new store gets all of them.
 * An existing store gets those of modules that a later version brings.
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
        // Processes that start at the same time insert only one row.
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

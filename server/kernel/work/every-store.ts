import type { Instance, Work } from './context.ts'
import type { Chore } from './job.ts'
import { workOf } from './work-of.ts'

interface Forgetting extends Pick<Chore, 'name' | 'every'> {
  /** `$1` is the id of the store, `$2` the time before which a row is old; `values` follow. They may take long. */
  readonly statements: readonly string[]
  readonly values?: readonly unknown[]
}

/** A chore that deletes in every store what is older than some days. */
export const forgetAfterDays = (days: number, { statements, values = [], ...chore }: Forgetting): Chore => ({
  ...chore,
  attemptsMax: 3,
  async run({ database, clock }) {
    const before = new Date(clock.now().getTime() - days * 86_400_000)
    const stores = await database.run({ text: 'SELECT id FROM stores ORDER BY id', values: [] })
    for (const [storeId] of stores) {
      for (const text of statements) {
        await database.run({ text, values: [storeId, before, ...values], long: true })
      }
    }
  },
})

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

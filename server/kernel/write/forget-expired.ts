import type { Resource } from '../declare/resource.ts'
import { hasExpired } from '../query/find.ts'
import { Binds } from '../storage/binds.ts'
import type { Chore } from '../work/job.ts'
import { workOf } from '../work/work-of.ts'

/** Deleted in one transaction: nobody waits long for its locks, and other stores take turns. */
const portion = 1000

/** The chore that deletes the expired rows of a resource: see `Model.expires`. */
export const forgetExpired = (resource: () => Resource, name: string, every: string): Chore => ({
  name,
  attemptsMax: 3,
  every,
  run: async (instance) => {
    const { table, expires } = resource()
    if (!expires) throw new Error(`the rows of ${table} do not expire`)
    for (;;) {
      const now = instance.clock.now()
      const binds = new Binds([])
      const stores = await instance.database.run({
        text: `SELECT DISTINCT store_id FROM (
                 SELECT store_id FROM ${table} WHERE ${hasExpired(expires, binds.bind(now))}
                 ORDER BY ${expires} LIMIT ${portion}) gone`,
        values: binds.values,
        long: true,
      })
      let removed = 0
      for (const [store] of stores) {
        const { store: rows } = workOf(instance, { store: store as string, by: 'system ' })
        const ids = await rows.transaction((inside) =>
          inside.removeAll(
            resource(),
            // As they are when they are locked: a change at the same time moves the expiry. A row that somebody
            // has locked is left to the next run, since a chore that waits with many locks delays others.
            (bind) => `r.id = ANY(ARRAY(
              SELECT id FROM ${table} WHERE store_id = $1 AND ${hasExpired(expires, bind(now))}
              ORDER BY ${expires} LIMIT ${portion} FOR UPDATE SKIP LOCKED))`,
          ),
        )
        removed += ids.length
        instance.onWrite(store as string)
      }
      if (!removed) return
    }
  },
})

import { newId } from '../ids.ts'
import type { AddedField } from '../shape/model.ts'
import type { Work } from '../work/context.ts'

/**
 * Stores the fields that the store adds under a name. Needs a transaction: until it ends, no one writes objects of the
 * resource, so changes to them in the same transaction match the new fields. `read` returns the fields once no one else
 * can define them.
 */
export async function defineAddedFields(
  work: Work,
  name: string,
  read: () => Promise<readonly AddedField[]>,
): Promise<void> {
  const { store } = work
  await store.advisoryLock(`added-fields ${name}`)
  // FOR UPDATE, because writes of these objects hold a shared lock on the row; a plain update would not wait for them.
  await store.run('SELECT FROM added_fields WHERE store_id = $1 AND name = $2 FOR UPDATE', name)
  const fields = await read()
  if (!fields.length) {
    await store.run('DELETE FROM added_fields WHERE store_id = $1 AND name = $2', name)
    return
  }
  await store.run(
    `INSERT INTO added_fields (store_id, name, state, fields) VALUES ($1, $2, $3, $4)
     ON CONFLICT (store_id, name) DO UPDATE SET state = excluded.state, fields = excluded.fields`,
    name,
    newId(),
    JSON.stringify(fields),
  )
}

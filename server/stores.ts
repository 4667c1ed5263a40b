import { newId } from './kernel/ids.ts'
import type { Connection } from './kernel/storage/database.ts'

/** A store of this server. */
interface StoreOfServer {
  readonly id: string
  readonly name: string
  readonly createdAt: string
}

export async function listStores(connection: Pick<Connection, 'run'>): Promise<readonly StoreOfServer[]> {
  const rows = await connection.run({
    text: 'SELECT id, name, created_at FROM stores ORDER BY created_at, id',
    values: [],
  })
  return rows.map(([id, name, createdAt]) => ({
    ...{ id: id as string, name: name as string, createdAt: createdAt as string },
  }))
}

/**
 * Creates a store in an organisation of its own, and returns its id. `prepareStores` then adds the objects of its
 * first day.
 */
export async function createStore(connection: Connection, name: string, now: Date): Promise<string> {
  const [organisation, store] = [newId(), newId()]
  await connection.run({
    text: 'INSERT INTO organisations VALUES ($1, $2, $3)',
    values: [organisation, name, now],
  })
  await connection.run({
    text: 'INSERT INTO stores VALUES ($1, $2, $3, $4)',
    values: [store, organisation, name, now],
  })
  return store
}

/** Gives a store, and its organisation, another name. */
export async function renameStore(connection: Connection, id: string, name: string): Promise<void> {
  await connection.run({ text: 'UPDATE stores SET name = $2 WHERE id = $1', values: [id, name] })
  await connection.run({
    text: 'UPDATE organisations SET name = $2 WHERE id = (SELECT organisation_id FROM stores WHERE id = $1)',
    values: [id, name],
  })
}

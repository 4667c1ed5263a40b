import { newId } from './kernel/ids.ts'
import { columns, instant, optionalText } from './kernel/storage/columns.ts'
import type { Connection } from './kernel/storage/database.ts'

/** A store of this server. */
interface StoreOfServer {
  readonly id: string
  readonly name: string
  readonly createdAt: string
  /** Its own rates of requests; undefined if it has those of the server. */
  readonly rates: string | undefined
}

const listed = columns({
  id: 'id',
  name: 'name',
  createdAt: instant('created_at'),
  rates: ['request_rates', optionalText],
})

export async function listStores(connection: Pick<Connection, 'run'>): Promise<readonly StoreOfServer[]> {
  const text = `SELECT ${listed.sql} FROM stores ORDER BY created_at, id`
  return (await connection.run({ text, values: [] })).map(listed.read)
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

/** Gives a store rates of its own in place of the server's, as `parseRequestRates` reads them; null takes them away. */
export async function changeStoreRates(
  connection: Pick<Connection, 'run'>,
  id: string,
  rates: string | null,
): Promise<void> {
  await connection.run({ text: 'UPDATE stores SET request_rates = $2 WHERE id = $1', values: [id, rates] })
}

/** Gives a store, and its organisation, another name. */
export async function renameStore(connection: Connection, id: string, name: string): Promise<void> {
  const [store] = await connection.run({
    text: 'UPDATE stores SET name = $2 WHERE id = $1 RETURNING organisation_id',
    values: [id, name],
  })
  await connection.run({
    text: 'UPDATE organisations SET name = $2 WHERE id = $1',
    values: [store?.[0], name],
  })
}

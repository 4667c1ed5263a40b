import type { Instance } from './context.ts'

/** Runs a statement for each store, without the usual time limit. `$1` is the id of the store, the values follow. */
export async function runInEveryStore(
  { database }: Pick<Instance, 'database'>,
  text: string,
  ...values: readonly unknown[]
): Promise<void> {
  const stores = await database.run({ text: 'SELECT id FROM stores ORDER BY id', values: [] })
  for (const [storeId] of stores) await database.run({ text, values: [storeId, ...values], long: true })
}

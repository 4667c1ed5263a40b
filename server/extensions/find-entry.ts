import { isId } from '../kernel/ids.ts'
import type { Row } from '../kernel/shape/model.ts'
import { Binds } from '../kernel/storage/binds.ts'
import { rowColumns, toRow } from '../kernel/storage/stored-row.ts'
import type { Ctx, Work } from '../kernel/work/context.ts'
import { cachedDefinition, type Definition, findDefinition, type Naming, stateIn } from './definition.ts'
import { idNamed } from './url-slug.ts'

/**
 * Finds an entry and its current custom API: in one statement, if the definition is cached. `name` is the id or the URL
 * slug of the entry.
 */
export async function findEntry(
  ctx: Ctx,
  naming: Naming,
  name: string,
  byUrlSlug: boolean,
): Promise<{ readonly api: Definition; readonly entry: Row | undefined }> {
  let api = cachedDefinition(ctx, naming) ?? (await findDefinition(ctx, naming))
  for (;;) {
    const { column, value } = naming
    const binds = new Binds([ctx.store.id, value])
    const idValue = `${binds.bind(isId(name) ? name : null)}::uuid`
    const id =
      byUrlSlug && api.urlSlug ? `coalesce(${idNamed(api.urlSlug, name, binds.bind)}, ${idValue})` : idValue
    const [row] = await ctx.store.read(
      `SELECT a.id, ${stateIn('a')}, ${rowColumns(api.entries, 'e.')} FROM custom_apis a
       LEFT JOIN entries e ON e.store_id = a.store_id AND e.custom_api_id = a.id AND e.id = ${id}
       WHERE a.store_id = $1 AND a.${column} = $2`,
      ...binds.values.slice(1),
    )
    const [apiId, state, entryId] = row ?? []
    if (row && apiId === api.id && state === api.state) {
      return { api, entry: entryId == null ? undefined : toRow(api.entries, row, 2) }
    }
    api = await findDefinition(ctx, naming)
  }
}

/** Locks the address until the end of the transaction, so that no other transaction creates an entry there. */
export const waitForTurn = (work: Work, { id }: Definition, address: string): Promise<void> =>
  work.store.advisoryLock(`${id} ${address.toLowerCase()}`)

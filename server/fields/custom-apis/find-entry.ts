import { isId } from '../../kernel/ids.ts'
import { findId } from '../../kernel/query/find.ts'
import type { Row } from '../../kernel/shape/model.ts'
import { Binds } from '../../kernel/storage/binds.ts'
import { rowColumns, toRow } from '../../kernel/storage/stored-row.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { type ApiDefinition, cachedDefinition, findDefinition, type Naming, stateIn } from './definition.ts'
import { idNamed } from './entries.ts'

/** How a path names an entry: by its id or, if `byUrlSlug`, also by its URL slug. */
export interface EntryName {
  readonly name: string
  readonly byUrlSlug: boolean
}

/** Finds an entry and its current custom API: in one statement, if the definition is cached. */
export async function findEntry(
  ctx: Ctx,
  naming: Naming,
  { name, byUrlSlug }: EntryName,
): Promise<{ readonly api: ApiDefinition; readonly entry: Row | undefined }> {
  let api = cachedDefinition(ctx, naming) ?? (await findDefinition(ctx, naming))
  for (;;) {
    const { column, value } = naming
    const binds = new Binds([ctx.store.id, value])
    const idValue = `${binds.bind(isId(name) ? name : null)}::uuid`
    const id =
      byUrlSlug && api.urlSlug ? `coalesce(${idNamed(api.urlSlug, name, binds.bind)}, ${idValue})` : idValue
    const [row] = await ctx.store.read(
      `SELECT a.id, ${stateIn('a')}, ${rowColumns(api.entries, 'e.')} FROM custom_apis a
       LEFT JOIN (SELECT * FROM entries WHERE store_id = $1) e ON e.custom_api_id = a.id AND e.id = ${id}
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

/** The id of the entry that a path names. There may be no such entry. */
export function findEntryId(
  ctx: Ctx,
  { id, entries }: ApiDefinition,
  { name, byUrlSlug }: EntryName,
): Promise<string | undefined> {
  const { key: _, ...byId } = entries
  return findId(ctx, byUrlSlug ? entries : byId, [id], name)
}

/** The id of the entry that a path names; undefined if it does not exist. */
export async function findExistingId(
  ctx: Ctx,
  api: ApiDefinition,
  name: EntryName,
): Promise<string | undefined> {
  const id = await findEntryId(ctx, api, name)
  return id !== undefined && (await ctx.store.find(api.entries, id, [api.id])) ? id : undefined
}

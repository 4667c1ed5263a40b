import type { Incoming, Operation } from '../declare/operation.ts'
import type { Resource } from '../declare/resource.ts'
import { everyRowSql } from '../query/every-row.ts'
import { both } from '../query/find.ts'
import { planPage } from '../query/page.ts'
import type { Source } from '../query/sql.ts'
import type { ListQuery } from '../shape/list-query.ts'
import type { Ctx } from '../work/context.ts'

/** Where the rows of a list come from, and the query for them. */
export interface SourceOfList {
  readonly source: Source & { readonly resource: Resource }
  readonly query: ListQuery
}

/**
 * Where the rows come from that a list has for this caller: it refuses what the list refuses, and reads no rows.
 * Undefined for a list that has no rows of its own.
 */
export async function sourceOfList(
  ctx: Ctx,
  list: Operation,
  call: Incoming,
): Promise<SourceOfList | undefined> {
  let found: SourceOfList | undefined
  await list.run(
    ctx.takingSource((source, query) => {
      found = { source, query } as SourceOfList
    }),
    call,
  )
  return found
}

/** A row, as it was when it was chosen. */
interface ChosenRow {
  readonly id: string
  readonly version: number
}

/** The first rows of a list that match its query, and have one of these ids if there are any. */
export async function chooseRows(
  ctx: Ctx,
  { source, query }: SourceOfList,
  { ids, most }: { readonly ids: readonly string[] | undefined; readonly most: number },
): Promise<readonly ChosenRow[]> {
  const isAmong: Source['where'] = ids && ((bind) => `id = ANY(${bind(ids)}::uuid[])`)
  const where = both(source.where, isAmong)
  const narrowed = { ...source, ...(where && { where }) }
  const { text, values } = everyRowSql(
    narrowed,
    planPage(ctx, source.resource, query),
    ctx.store.id,
    'p.id, p.version',
  )
  const rows = await ctx.store.page({ text: `${text} LIMIT ${most}`, values, once: true })
  return rows
    .map(([id, version]) => ({ id: id as string, version: Number(version) }))
    .sort((one, other) => (one.id < other.id ? -1 : 1))
}

import { Problem } from '../kernel/errors.ts'
import { isId } from '../kernel/ids.ts'
import { type Ask, type Filter, parse } from '../kernel/query/parse.ts'
import type { Call } from '../kernel/request/operations.ts'
import type { Work } from '../kernel/work/context.ts'
import { homeIn, partsOf, type Register } from './register.ts'

/** One object that holds personal data. */
export interface DataEntry {
  readonly type: string
  readonly id: string
}

/**
 * The id of whom an entry is about: erasing any entry of their set erases all of it. It is what the entry hangs on, or
 * hung on when it was still there. An entry that is neither there nor in the log is in no set.
 */
export async function findRoot(
  work: Work,
  register: Register,
  { type, id }: DataEntry,
): Promise<string | undefined> {
  const parts = await partsOf(work, register, type)
  const remembered = register.of(type).flatMap((holder) => {
    const where =
      `r.store_id = $1 AND r.source = '${holder.resource.table}' AND r.id = $3` +
      (holder.resource.scope ? ' AND r.scope = ANY($4::uuid[])' : '')
    const [changed, read] = [homeIn(holder, false), homeIn(holder, true)]
    return [
      `SELECT ${changed} FROM changes r WHERE ${where} AND r.personal AND r.doc IS NOT NULL`,
      ...(read ? [`SELECT ${read} FROM personal_data_reads r WHERE ${where}`] : []),
    ]
  })
  const present = `SELECT root_id FROM ${register.entries}
     WHERE store_id = $1 AND resource_type = $2 AND resource_id = $3 AND at_home
       AND (part IS NULL OR part = ANY($4::uuid[]))`
  const [row] = await work.store.rows(
    `SELECT root_id FROM (${[present, ...remembered].join(' UNION ALL ')}) roots WHERE root_id IS NOT NULL LIMIT 1`,
    type,
    id,
    parts,
  )
  return row?.[0] ?? undefined
}

/** What a list is asked for, and about which entry: its filter must name one, and may say nothing else. */
export function askAboutEntry({ types }: Register, { query }: Call): { ask: Ask; entry: DataEntry } {
  const ask = parse(query)
  const [one, other, ...more] = ask.filter?.is === 'and' ? ask.filter.parts : []
  const type = valueIn('resource_type', one) ?? valueIn('resource_type', other)
  const id = valueIn('resource_id', one) ?? valueIn('resource_id', other)
  if (type === undefined || id === undefined || more.length) {
    const form = 'eq(resource_type,customer):eq(resource_id,<id>)'
    throw refusal(`the filter must have resource_type and resource_id, and nothing else: ${form}`)
  }
  // Objects write their own `type` with an underscore.
  const named = types.find((known) => known === type.replaceAll('_', '-'))
  if (!named) throw refusal(`[resource_type] must be one of ${types.join(', ')}, not [${type}]`)
  if (!isId(id)) throw refusal(`[resource_id] must be a UUID, not [${id}]`)
  return { ask: { ...ask, filter: undefined }, entry: { type: named, id: id.toLowerCase() } }
}

const valueIn = (field: string, term: Filter | undefined): string | undefined =>
  term?.is === 'term' && term.op === 'eq' && term.field === field ? term.values[0] : undefined

const refusal = (detail: string) => new Problem('bad_filter', `bad filter: ${detail}`, { source: 'filter' })

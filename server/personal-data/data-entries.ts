import type { Call } from '../kernel/declare/call.ts'
import { Problem } from '../kernel/errors.ts'
import { isId } from '../kernel/ids.ts'
import { parse } from '../kernel/query/parse.ts'
import { text } from '../kernel/shape/fields.ts'
import type { Filter, ListQuery } from '../kernel/shape/list-query.ts'
import type { Work } from '../kernel/work/context.ts'
import { findParts, homeSql, type Register } from './register.ts'

/** One object that holds personal data. */
export interface DataEntry {
  readonly type: string
  readonly id: string
}

/**
 * The id of the person or account that an entry is about. Erasing any entry of their set erases the whole set. The
 * entry may already be deleted: then it is looked up in the change feed and in the log of reads. Undefined if none of
 * them has it.
 */
export async function findRoot(
  work: Work,
  register: Register,
  { type, id }: DataEntry,
): Promise<string | undefined> {
  const parts = await findParts(work, register, type)
  const remembered = register.holdersOf(type).flatMap((holder) => {
    const where =
      `r.store_id = $1 AND r.source = '${holder.resource.table}' AND r.id = $3` +
      (holder.resource.scope ? ' AND r.scope = ANY($4::uuid[])' : '')
    const [changed, read] = [homeSql(holder, false), homeSql(holder, true)]
    return [
      `SELECT ${changed} FROM changes r WHERE ${where} AND r.personal AND r.doc IS NOT NULL`,
      ...(read ? [`SELECT ${read} FROM personal_data_reads r WHERE ${where}`] : []),
    ]
  })
  const present = `SELECT root_id FROM ${register.entries}
     WHERE store_id = $1 AND resource_type = $2 AND resource_id = $3 AND at_home
       AND (part IS NULL OR part = ANY($4::uuid[]))`
  const [row] = await work.store.run(
    `SELECT root_id FROM (${[present, ...remembered].join(' UNION ALL ')}) roots WHERE root_id IS NOT NULL LIMIT 1`,
    type,
    id,
    parts,
  )
  return row?.[0] ?? undefined
}

/** Parses the query of a list about one entry. The filter must name an entry, and nothing else. */
export function parseEntryQuery(
  { types }: Register,
  { query: text }: Call,
): { query: ListQuery; entry: DataEntry } {
  const query = parse(text)
  const [one, other, ...more] = query.filter?.is === 'and' ? query.filter.parts : []
  const type = valueIn('resource_type', one) ?? valueIn('resource_type', other)
  const id = valueIn('resource_id', one) ?? valueIn('resource_id', other)
  if (type === undefined || id === undefined || more.length) {
    const form = 'eq(resource_type,customer):eq(resource_id,<id>)'
    throw refusal(`the filter must have resource_type and resource_id, and nothing else: ${form}`)
  }
  // The `type` of an object has an underscore where the entry type has a hyphen.
  const named = types.find((one) => one === type.replaceAll('_', '-'))
  if (!named) throw refusal(`[resource_type] must be one of ${types.join(', ')}, not [${type}]`)
  if (!isId(id)) throw refusal(`[resource_id] must be a UUID, not [${id}]`)
  return { query: { ...query, filter: undefined }, entry: { type: named, id: id.toLowerCase() } }
}

const valueIn = (field: string, term: Filter | undefined): string | undefined =>
  term?.is === 'term' && term.op === 'eq' && term.field === field ? term.values[0] : undefined

const refusal = (detail: string) => new Problem('bad_filter', `bad filter: ${detail}`, { source: 'filter' })

/** The query of a list about one entry: see `parseEntryQuery`. */
export const entryQuery = ({ types }: Register) => ({
  filter: text({
    required: true,
    about: `Names one object by two terms: \`eq(resource_type,…):eq(resource_id,…)\`. \`resource_type\` is one of ${types.join(', ')}.`,
    example: 'eq(resource_type,customer):eq(resource_id,00000000-0000-4000-8000-000000000000)',
  }),
})

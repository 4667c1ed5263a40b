import type { Resource } from '../../server/kernel/declare/resource.ts'
import type { Fields } from '../../server/kernel/shape/fields.ts'
import { sampleValues } from '../support/sample-values.ts'
import type { World } from '../support/world.ts'
import { shownId } from './shown-ids.ts'

/** What the triggers of a table write besides the change feed and the counters. */
const besides: Readonly<Record<string, readonly string[]>> = { entries: ['entry_values'] }

const quoted = (name: string) => `"${name}"`

/**
 * Copies a row about `count` times, with other values in the fields that must be unique; three copies share each
 * timestamp. False when there can be no copies: what is unique is not made up, but refers to what is there.
 */
export async function cloneRows(world: World, of: Resource, id: string, count: number): Promise<boolean> {
  if (!isTable(of) || (await isView(world, of.table))) return false
  if (await standsForAnother(world, of.table)) return false
  const uniques = await bindingOn(world, of, id)
  const fields = Object.entries(of.fields as Fields).filter(([, { options }]) => !options.refersTo)
  const varied = fields.filter(([name]) => uniques.some((columns) => columns.includes(name)))
  const vary = (columns: readonly string[]) => varied.some(([name]) => columns.includes(name))
  if (!uniques.every(vary)) return false
  const values = varied.map(([name, field]) => sampleValues(name, field, count))
  const copies = Math.min(count, ...values.map(({ length }) => length))
  if (copies < 1) return count < 1
  const docs = Array.from({ length: copies }, (_, i) =>
    JSON.stringify(Object.fromEntries(varied.map(([name], field) => [name, values[field]?.[i]]))),
  )
  await insertCopies(world, of, id, docs)
  return true
}

/** Whether its rows come from a table, not from a query. */
export const isTable = ({ table }: Pick<Resource, 'table'>): boolean => /^\w+$/.test(table)

async function isView(world: World, table: string): Promise<boolean> {
  const { rows } = await world.sql(`SELECT relkind = 'v' AS is_view FROM pg_class WHERE oid = $1::regclass`, [
    table,
  ])
  return rows[0].is_view
}

/** Whether a row's id is that of another table's row: there are as many as there are of those. */
async function standsForAnother(world: World, table: string): Promise<boolean> {
  const { rowCount } = await world.sql(
    `SELECT FROM pg_constraint c JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = ANY(c.conkey)
     WHERE c.conrelid = $1::regclass AND c.contype = 'f' AND a.attname = 'id'`,
    [table],
  )
  return Boolean(rowCount)
}

/** What is unique together: columns or fields. */
interface Unique {
  /** The index's. */
  readonly name: string
  readonly columns: readonly string[]
  /** Of which rows, where it is not all. */
  readonly condition: string | null
}

/** What is unique in the table, but for what has the row's own id in it. */
export async function uniquesOf(world: World, table: string): Promise<readonly Unique[]> {
  // An index on an expression has no column there: the columns that its definition names are meant. A column that is
  // generated from a field, or filled from it by a trigger, is told by the field's name.
  const { rows } = await world.sql(
    `SELECT i.indexrelid::regclass::text AS name, pg_get_expr(i.indpred, i.indrelid) AS condition,
       array_agg(coalesce(
         substring(pg_get_expr(d.adbin, d.adrelid) FROM $re$^\\W*doc (?:-> 'attributes'::text\\) )?->> '(\\w+)'::text\\)$re$),
         (SELECT max(substring(p.prosrc FROM format($re$NEW\\.%s := \\w+->>'(\\w+)'$re$, a.attname)))
          FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid WHERE t.tgrelid = a.attrelid),
         a.attname::text)) AS columns, bool_or(a.attname = 'id') AS by_id
     FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid
     LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum AND a.attgenerated <> ''
     WHERE i.indrelid = $1::regclass AND i.indisunique AND a.attnum > 0
       AND regexp_replace(pg_get_indexdef(i.indexrelid), ' INCLUDE \\(.*\\)', '') ~ ('[( ]' || a.attname || '\\M')
     GROUP BY i.indexrelid, i.indpred, i.indrelid`,
    [table],
  )
  return rows.filter(({ by_id }) => !by_id) as Unique[]
}

/** The columns of each of these that the row is bound by, and its copies would be. */
async function bindingOn(world: World, of: Resource, id: string): Promise<readonly (readonly string[])[]> {
  const binding: (readonly string[])[] = []
  for (const { columns, condition } of await uniquesOf(world, of.table)) {
    const text = `SELECT FROM ${of.table} r WHERE ${shownId(of, 'r')} = $1 AND ${condition ?? true}`
    if ((await world.sql(text, [id])).rowCount) binding.push(columns)
  }
  return binding
}

/** Puts the members of each of `docs` over those of a copy, in `doc` or `hidden`, wherever the row has them. */
async function insertCopies(world: World, of: Resource, id: string, docs: readonly string[]): Promise<void> {
  const { table, envelope } = of
  const { rows: columns } = await world.sql(
    `SELECT attname AS name FROM pg_attribute
     WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`,
    [table],
  )
  const over = (members: string) =>
    `${members} || (SELECT coalesce(jsonb_object_agg(v.key, v.value), '{}') FROM jsonb_each(c.doc) v
       WHERE ${members} ? v.key)`
  const doc = 'r.doc::jsonb'
  // Another order than that of their making: 7 is no divisor of it.
  const round = docs.length % 7 === 0 ? docs.length + 1 : docs.length
  // They are older than the row, so that new objects are the newest.
  const step = envelope.digits === 0 ? '1 second' : '1 ms'
  const values: Record<string, string> = {
    id: `(lpad(to_hex((extract(epoch FROM r.created_at) * 1000)::bigint - g), 12, '0') || substr(replace(gen_random_uuid()::text, '-', ''), 13))::uuid`,
    created_at: `r.created_at - (g / 3) * interval '${step}'`,
    updated_at: `r.updated_at - ((g * 7 % ${round}) / 3) * interval '${step}'`,
    doc:
      envelope.fields === 'attributes'
        ? `jsonb_set(${doc}, '{attributes}', ${over("(r.doc->'attributes')::jsonb")})::json`
        : `(${over(doc)})::json`,
    hidden: `(${over('r.hidden::jsonb')})::json`,
  }
  const names = columns.map(({ name }) => name as string)
  await world.sql(
    `INSERT INTO ${table} (${names.map(quoted).join(', ')})
     SELECT ${names.map((name) => values[name] ?? `r.${quoted(name)}`).join(', ')}
     FROM ${table} r, unnest($2::jsonb[]) WITH ORDINALITY AS c (doc, g) WHERE ${shownId(of, 'r')} = $1`,
    [id, docs],
  )
  // As PostgreSQL does later by itself. Until then it plans as if the table were empty, and scans all of it.
  await world.sql(`ANALYZE ${[table, ...(besides[table] ?? [])]}`)
}

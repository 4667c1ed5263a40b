import type { Fields, JsonSchema } from '../../server/kernel/fields.ts'
import type { Op } from '../../server/kernel/query/parse.ts'
import type { FilterRule, Resource, ValueType } from '../../server/kernel/resource.ts'
import { type Kind, kindNamed, kindsWith, type Made, operations, type Samples } from '../support/samples.ts'
import type { World } from '../support/world.ts'

/** A list of the API, and the kind of object it lists. */
export interface Listing {
  readonly id: string
  readonly path: string
  readonly kind: Kind
}

/** Every list that is paged: those of the resources, and actions that list a resource. */
export const listings: readonly Listing[] = [
  ...kindsWith('list').map((kind) => {
    const operation = kind.operations.list as { id: string; path: string }
    return { id: operation.id, path: operation.path, kind }
  }),
  ...operations.flatMap(({ id, path, of }) => {
    const resource = of.kind === 'action' && of.action.shows?.page && of.action.shows.resource
    return resource ? [{ id, path, kind: kindNamed(resource.noun[0]) }] : []
  }),
]

/** Where the listing's objects are made. */
export async function makeIn(samples: Samples, { id, kind }: Listing, path: string): Promise<Made> {
  return samples.make(kind, id === kind.operations.list?.id ? path : undefined)
}

/** What a filter on the field compares. */
export function valueType({ kind: { resource } }: Listing, field: string): ValueType {
  if (field.endsWith('.length')) return 'number'
  if (field === 'id') return 'uuid'
  if (field === 'created_at' || field === 'updated_at') return 'time'
  const schema: JsonSchema = (resource.fields as Fields)[field]?.schema ?? {}
  const type = [schema.type].flat()[0]
  if (type === 'integer' || type === 'number') return 'number'
  if (type === 'boolean') return 'boolean'
  const rule = resource.filter?.[field] as FilterRule | undefined
  return rule?.type ?? (schema.format === 'uuid' ? 'uuid' : 'text')
}

export const opsOf = ({ kind: { resource } }: Listing): [field: string, ops: readonly Op[]][] =>
  Object.entries(resource.filter ?? {}).map(([field, rule]) => [
    field,
    Array.isArray(rule) ? (rule as readonly Op[]) : (rule as FilterRule).ops,
  ])

export const mayFilter = (listing: Listing, field: string, op: Op): boolean =>
  opsOf(listing).some(([name, ops]) => name === field && ops.includes(op))

const quoted = (name: string) => `"${name}"`

/**
 * Puts about `wanted` objects in the list at `path`. Most tables take copies of one row, with ties in their times;
 * where uniqueness forbids copies, a dozen are made one by one.
 */
export async function fill(
  world: World,
  samples: Samples,
  listing: Listing,
  path: string,
  wanted: number,
): Promise<void> {
  const { resource, operations } = listing.kind
  const made = await makeIn(samples, listing, path)
  try {
    await cloneRows(world, resource.table, made.id, wanted)
  } catch {
    // Not everything can be made: a store has the realms it has.
    if (!operations.create && !resource.scope) return
    for (let i = 0; i < 12; i++) await makeIn(samples, listing, path)
  }
}

/** Copies a row `count` times; texts that must be unique are numbered. Three rows share each timestamp. */
async function cloneRows(world: World, table: string, id: string, count: number): Promise<void> {
  const { rows: columns } = await world.sql(
    `SELECT attname AS name, attgenerated <> '' AS generated FROM pg_attribute
     WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped`,
    [table],
  )
  const { rows: uniques } = await world.sql(
    `SELECT DISTINCT a.attname AS name FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid
     WHERE i.indrelid = $1::regclass AND i.indisunique AND NOT i.indisprimary AND a.attgenerated <> ''
       AND a.atttypid = 'text'::regtype AND strpos(pg_get_indexdef(i.indexrelid), a.attname) > 0`,
    [table],
  )
  const values: Record<string, string> = {
    id: `(lpad(to_hex((extract(epoch FROM r.created_at) * 1000)::bigint + g), 12, '0') || substr(replace(gen_random_uuid()::text, '-', ''), 13))::uuid`,
    created_at: `r.created_at + (g / 3) * interval '1 ms'`,
    updated_at: `r.updated_at + ((g * 7 % ${count}) / 3) * interval '1 ms'`,
  }
  const numbered = (doc: string) =>
    uniques.reduce(
      (text, { name }) =>
        `CASE WHEN ${doc}->>'${name}' IS NULL THEN ${text} ELSE (${text})::jsonb || jsonb_build_object('${name}', (${doc}->>'${name}') || '-' || g) END`,
      `${doc}::jsonb`,
    )
  const plain = columns.filter(({ generated }) => !generated).map(({ name }) => name as string)
  const sources = plain.map((name) => {
    if (name === 'doc' || name === 'hidden') return `(${numbered(`r.${name}`)})::json`
    return values[name] ?? `r.${quoted(name)}`
  })
  await world.sql(
    `INSERT INTO ${table} (${plain.map(quoted).join(', ')})
     SELECT ${sources.join(', ')} FROM ${table} r, generate_series(1, ${count}) g WHERE r.id = $1`,
    [id],
  )
}

/** What the list at `path` holds, by SQL: ids in the order of `sort`. */
export async function expected(
  world: World,
  listing: Listing,
  anId: string,
  sort: string,
): Promise<string[]> {
  const { table, scopeColumns } = listing.kind.resource
  const column = sort.replace('-', '')
  const way = sort.startsWith('-') ? 'DESC' : 'ASC'
  const within = scopeColumns.map((name) => `AND t.${name} = one.${name}`).join(' ')
  const { rows } = await world.sql(
    `SELECT t.id FROM ${table} t JOIN ${table} one ON one.id = $1 AND one.store_id = t.store_id ${within}
     WHERE t.store_id = $2 ORDER BY t.${column} ${way}, t.id ${way}`,
    [anId, world.storeId],
  )
  return rows.map(({ id }) => id as string)
}

/** The times of a shown object, from where its envelope has them. */
// biome-ignore lint/suspicious/noExplicitAny: an answer's shape is what a test is about.
export function timesIn({ envelope: { times, fields } }: Resource, data: any): Record<string, string> {
  if (times === 'meta') return data.meta
  if (times === 'meta.timestamps') return data.meta.timestamps
  return fields === 'attributes' ? data.attributes : data
}

export const sortsOf = ({ kind: { resource } }: Listing): string[] =>
  (resource.sort ?? []).flatMap((field) => [field, `-${field}`])

export const idsOf = ({ body }: { body: { data: { id: string }[] } }): string[] =>
  body.data.map(({ id }) => id)

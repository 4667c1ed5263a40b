import type { Resource } from '../../server/kernel/declare/resource.ts'
import { indexedOf } from '../../server/kernel/query/condition.ts'
import { listKey } from '../../server/kernel/query/places.ts'
import { valueTypeOf } from '../../server/kernel/query/plan.ts'
import { haveOwnType, pathOf } from '../../server/kernel/shape/envelope.ts'
import {
  type FilterRule,
  type Model,
  operatorsOf,
  orderOf,
  type ValueType,
  walks,
} from '../../server/kernel/shape/model.ts'

/** How a generated column has a value of this type. A cast of a time is not immutable, so no column can have one. */
const types: Readonly<Partial<Record<ValueType, readonly [type: string, cast: string]>>> = {
  text: ['text COLLATE "C"', ''],
  uuid: ['uuid', '::uuid'],
  boolean: ['boolean', '::boolean'],
  integer: ['bigint', '::bigint'],
  number: ['double precision', '::double precision'],
}

/** The columns that every table has. */
const standard = ['id', 'created_at', 'updated_at']

const isName = (text: string) => /^\w+$/.test(text)

interface Filter {
  readonly field: string
  readonly column: string
  readonly rule: FilterRule
}

/** The filters that compare a column, as far as the table has the column for them. */
const filtersOf = ({ filter = {} }: Resource): readonly Filter[] =>
  Object.entries(filter).flatMap(([field, declared]) => {
    const ops = operatorsOf(declared as FilterRule)
    const rule: FilterRule = Array.isArray(declared) ? { ops } : { ...(declared as FilterRule), ops }
    const column = rule.column ?? field
    return field in walks || rule.where || !isName(column) ? [] : [{ field, column, rule }]
  })

/** The column of the id that clients choose. */
const idColumnOf = ({ key, filter }: Resource): string | undefined =>
  key?.field === 'id' ? (filter?.id as FilterRule | undefined)?.column : undefined

/** The columns of the lists of a table, by name, with the fields that they are made of. */
function fieldsOfColumns(resource: Resource): ReadonlyMap<string, string> {
  const { sort = [], key, fields, scopeColumns } = resource
  const idColumn = idColumnOf(resource)
  const pairs: readonly (readonly [column: string, field: string])[] = [
    ...(idColumn ? [[idColumn, 'id'] as const] : []),
    ...filtersOf(resource).map(({ column, field }) => [column, field] as const),
    ...sort.map((field) => [field, field] as const),
    ...(key && !key.where ? [[key.field, key.field] as const] : []),
    ...scopeColumns.filter((column) => fields[column]).map((column) => [column, column] as const),
  ]
  return new Map(pairs.filter(([column]) => !standard.includes(column)))
}

/** The SQL of a value in a row. */
function valueSql({ fields, envelope }: Resource, field: string): string {
  const [first = '', ...members] = field.split('.')
  const bag = fields[first]?.options.hidden ? 'hidden' : 'doc'
  const path = [...(bag === 'doc' ? pathOf(envelope, first).split('.').slice(1) : [first]), ...members]
  return `${bag}${path.map((name, i) => `${i === path.length - 1 ? '->>' : '->'}'${name}'`).join('')}`
}

/** Whether each object has a value in the field. */
function isAlwaysThere({ fields }: Resource, field: string): boolean {
  const { required, nullable, default: value, readOnly } = fields[field]?.options ?? {}
  return (
    field === 'id' ||
    (!nullable && !readOnly && (required === true || (value !== undefined && value !== null)))
  )
}

/** The type of a column and the cast to it; undefined if no field has the value, or it is a time. */
function typeOfColumn(resource: Resource, column: string, field: string) {
  const [first = ''] = field.split('.')
  if (!resource.fields[first]) return undefined
  const declared = (resource.filter?.[field] as FilterRule | undefined)?.type
  const isScope = resource.scopeColumns.includes(column)
  return types[isScope ? 'uuid' : (declared ?? valueTypeOf(resource, field))]
}

function generatedColumn(resource: Resource, column: string, field: string): string {
  const [type, cast] = typeOfColumn(resource, column, field) ?? []
  const value = valueSql(resource, field)
  const end = isAlwaysThere(resource, field) ? ' NOT NULL' : ''
  return `${column} ${type} GENERATED ALWAYS AS (${cast ? `(${value})${cast}` : value}) STORED${end},`
}

interface Index {
  readonly name: string
  /** The columns after the store and the parents. */
  readonly columns: readonly string[]
  readonly include?: string
}

/**
 * An index for each order of the list, and for each filter that says `indexed`. Another list of the same rows has one
 * for its own order.
 */
function indexesOf(resource: Resource, unique: readonly string[], isOther: boolean): readonly Index[] {
  const { sort = [], most, scopeColumns } = resource
  const orders = new Set([orderOf(resource).replace('-', ''), ...(most || isOther ? [] : sort)])
  const filters = filtersOf(resource).filter(
    ({ rule, column }) => !isOther && rule.indexed && !unique.includes(column),
  )
  const sorted = [...orders]
    .filter((column) => (column !== 'id' || scopeColumns.length > 0) && !unique.includes(column))
    .map((column) => {
      const isFiltered = filters.some(
        (one) => one.column === column && indexedOf(one.rule, 'eq')('x') === 'x',
      )
      const columns = column === 'id' ? ['id'] : [column, 'id']
      return { name: column, columns, ...(isFiltered && { include: 'created_at' }) }
    })
  const filtered = filters.flatMap(({ column, rule }) => {
    const begins = new Set(
      ['eq', 'like'].filter((op) => rule.ops.includes(op as 'eq')).map((op) => op as 'eq' | 'like'),
    )
    const values = new Set([...begins].map((op) => indexedOf(rule, op)(column)))
    return [...values]
      .filter((value) => value !== column || !orders.has(column))
      .map((value) => ({
        name: value === column || values.size === 1 ? column : `folded_${column}`,
        columns: [
          value.startsWith('lower(') && rule.ops.includes('like') ? `${value} text_pattern_ops` : value,
          ...['created_at', 'id'],
        ],
      }))
  })
  return [...sorted, ...filtered]
}

/** What is unique of a column: of a long text its hash, and without its case where filters ignore that. */
function uniqueValue(resources: readonly Resource[], column: string): string {
  const rules = resources.flatMap(filtersOf).filter((one) => one.column === column)
  if (rules.some(({ rule }) => rule.long)) return `md5(${column})`
  return rules[0] ? indexedOf(rules[0].rule, 'eq')(column) : column
}

/** The columns of a unique constraint, by the name `<table>_<column>_key`; undefined for other names. */
function uniqueColumn({ table }: Model, constraint: string, columns: ReadonlyMap<string, string>) {
  const name = constraint.slice(table.length + 1).replace(/_key$/, '')
  return constraint === `${table}_${name}_key` && columns.has(name) ? name : undefined
}

/** The call of `track`, which records the changes of the table and counts its lists. */
function trackCall(resources: readonly Resource[]): string {
  const [first] = resources as readonly [Resource, ...Resource[]]
  const { table, type, scopeColumns, personal, fields, envelope } = first
  const lists = resources.filter(({ counted }) => counted !== false).map(listKey)
  const scopes = new Set([
    ...scopeColumns.slice(-1),
    ...lists.map((list) => list.slice(table.length + 1)).filter(Boolean),
  ])
  const idColumn = idColumnOf(first)
  const options = [
    `'${table}'`,
    haveOwnType(fields, envelope) ? `$$r.${valueSql(first, 'type')}$$` : `$$'${type}'$$`,
    ...(scopes.size ? [`'{${[...scopes]}}'`] : []),
    ...(personal ? ['personal => true'] : []),
    ...(lists.length ? [] : ['counted => false']),
    ...(idColumn ? [`public_id => 'r.${idColumn}'`] : []),
  ]
  return `CALL track(${options.join(', ')});`
}

const commaSeparated = (lines: readonly string[]) =>
  lines.map((line, i) => (i < lines.length - 1 ? `${line},` : line))

/** The SQL of the table of these resources, which share it. The first is the one that clients write. */
export function tableSql(resources: readonly Resource[]): string {
  const [first] = resources as readonly [Resource, ...Resource[]]
  const { table, scopeColumns, parent, constraints = {} } = first
  if (!isName(table)) throw new Error(`${table} is a query, not a table`)
  const columns = new Map(
    resources.flatMap((resource) =>
      [...fieldsOfColumns(resource)]
        .filter(([column]) => !scopeColumns.includes(column))
        .map(([column, field]) => [column, { resource, field }] as const),
    ),
  )
  const isDerived = ([column, { resource, field }]: readonly [
    string,
    { resource: Resource; field: string },
  ]) => typeOfColumn(resource, column, field) !== undefined
  const above = ['store_id', ...scopeColumns].join(', ')
  const names = new Map([...columns].map(([column, { field }]) => [column, field]))
  const keys = Object.keys(constraints).filter((name) => !name.endsWith('_fkey'))
  const uniques = keys.flatMap((name) => uniqueColumn(first, name, names) ?? [])
  const unique = uniques.filter((column) => uniqueValue(resources, column) === column)
  const uniqueIndexes = uniques
    .filter((column) => !unique.includes(column))
    .map(
      (column) =>
        `CREATE UNIQUE INDEX ${table}_${column}_key ON ${table} (${above}, ${uniqueValue(resources, column)});`,
    )
  // Several lists may need the same index: it has the name that the first one gives it.
  const indexes = new Map<string, string>()
  for (const resource of resources) {
    const list = resource === first ? table : resource.noun[1].replaceAll('-', '_')
    for (const { name, columns, include } of indexesOf(resource, unique, resource !== first)) {
      const within = ['store_id', ...resource.scopeColumns, ...columns].join(', ')
      const sql = `ON ${table} (${within})${include ? ` INCLUDE (${include})` : ''};`
      if (!indexes.has(sql)) indexes.set(sql, `CREATE INDEX ${list}_by_${name} ${sql}`)
    }
  }
  const derived = [...columns].filter(isDerived)
  const needed = [
    ...columns.keys(),
    ...resources.flatMap((one) => [...one.scopeColumns, orderOf(one).replace('-', '')]),
  ]
  const known = new Set([...standard, ...scopeColumns, ...derived.map(([column]) => column)])
  const others = [...new Set(needed)].filter((column) => !known.has(column))
  const isWritable = (index: string) =>
    !others.some((column) => new RegExp(`\\b${column}\\b[,)]`).test(index))
  const lines = [
    'store_id uuid NOT NULL,',
    ...scopeColumns.map((column) => `${column} uuid NOT NULL,`),
    'id uuid NOT NULL,',
    'version integer NOT NULL DEFAULT 0,',
    'created_at timestamptz(3) NOT NULL,',
    'updated_at timestamptz(3) NOT NULL,',
    'doc json NOT NULL,',
    'hidden json,',
    ...derived.map(([column, { resource, field }]) => generatedColumn(resource, column, field)),
    ...keys
      .filter((name) => uniqueColumn(first, name, names) === undefined)
      .map((name) => `-- ${name}: the constraint is declared, and left to you.`),
    ...others.map(
      (column) => `-- ${column}: a list needs it, and no field has its value as it is: left to you.`,
    ),
    ...commaSeparated([
      `CONSTRAINT ${table}_pkey PRIMARY KEY (store_id, id)`,
      ...(parent
        ? [
            `CONSTRAINT ${table}_parent_fkey FOREIGN KEY (${above}) REFERENCES ` +
              `${parent().table} (${['store_id', ...parent().scopeColumns, 'id'].join(', ')}) ON DELETE CASCADE`,
          ]
        : []),
      ...unique.map((column) => `CONSTRAINT ${table}_${column}_key UNIQUE (${above}, ${column})`),
    ]),
  ]
  return [
    `CREATE TABLE ${table} (`,
    ...lines.map((line) => `  ${line}`),
    ');',
    ...[...uniqueIndexes, ...indexes.values()].map((index) => (isWritable(index) ? index : `-- ${index}`)),
    trackCall(resources),
    '',
  ].join('\n')
}

import type { Model } from '../shape/model.ts'
import { inEdition } from '../storage/editions.ts'
import { cutColumns } from '../storage/stored-row.ts'
import { limits } from './parse.ts'

/** The part of a list that one page shows. */
export interface Window {
  readonly limit: number
  readonly offset: number
  readonly column: string
  readonly descending: boolean
  /** The window is a whole list that the public contract does not page, so it may be longer than a page. */
  readonly whole?: boolean
  /** Only the rows after this one, in the order of the window. */
  readonly behind?: { readonly value: string; readonly id: string; readonly cast: string }
}

/** The casts that turn a placeholder's text into a value of the type. */
export const casts = {
  text: '',
  uuid: '::uuid',
  time: '::timestamptz',
  number: '::float8',
  integer: '::bigint',
  boolean: '::boolean',
} as const

/**
 * The statement of a page. It returns the total, including the unmerged changes, and the rows, which may refer to the
 * total as `t`. Tables in `before` are for the total too, those in `after` only for the rows.
 */
export const pageText = (
  resource: Model,
  total: string,
  rows: string,
  window: Window,
  {
    before = [],
    after = [],
  }: { readonly before?: readonly string[]; readonly after?: readonly string[] } = {},
) =>
  `WITH ${[...before, `t AS MATERIALIZED (${total})`, ...after].join(', ')} ` +
  `SELECT t.total, t.unmerged, (${pageLengthSql}), ${cutColumns(resource, 'p.', charsMaxOf(window))} ` +
  `FROM t LEFT JOIN LATERAL (${rows}) p ON true ORDER BY ${order(window, 'p.')}`

/** A total from counting the rows. */
export const countOf = (from: string) => `SELECT count(*) AS total, 0 AS unmerged ${from}`

/** The store's default page length. Its setting is the singleton `settings`. */
export const pageLengthSql = `SELECT doc->>'page_length' FROM singletons WHERE store_id = $1 AND name = 'settings'`

export function order({ column, descending }: Pick<Window, 'column' | 'descending'>, alias = ''): string {
  const way = descending ? 'DESC' : 'ASC'
  return column === 'id' ? `${alias}id ${way}` : `${alias}${column} ${way}, ${alias}id ${way}`
}

const bound = (n: number, cast: string) => `$${n}${cast}`

/**
 * The condition for the rows of a list: the store, the scope, and the edition if it has one. Every statement of a list
 * begins with these values.
 */
export function address({ scopeColumns, editions }: Model, at = bound): string {
  const edition = at(scopeColumns.length + 2, '::int')
  return [
    'store_id = $1::uuid',
    ...scopeColumns.map((column, i) => `${column} = ${at(i + 2, '::uuid')}`),
    ...(editions ? [inEdition(edition)] : []),
  ].join(' AND ')
}

/** The columns that identify a row. */
export const keyOf = ({ scopeColumns, editions }: Model): string[] => [
  'store_id',
  'id',
  ...scopeColumns,
  ...(editions ? ['since'] : []),
]

/** Longer rows are read one by one. A page has some megabytes at most, and so has a whole list. */
export const charsMaxOf = ({ whole }: Pick<Window, 'whole'>): number => (whole ? 1_000 : 16_000)

/** The maximum number of rows that the statement returns: a page by cursor reads one row more. */
export const rowsMax = ({ whole }: Pick<Window, 'whole'>): number =>
  (whole ? limits.wholeMax : limits.pageMax) + 1

/** The whole rows for these keys. The planner does not know their limit, only that a page has one. */
export const wholeRows = (
  resource: Model,
  keys: string,
  window: Pick<Window, 'whole'>,
  from = resource.table,
): string =>
  `SELECT whole.* FROM (SELECT * FROM (${keys}) page LIMIT ${rowsMax(window)}) page_keys ` +
  `JOIN ${from} whole USING (${keyOf(resource).join(', ')}) WHERE whole.store_id = $1::uuid`

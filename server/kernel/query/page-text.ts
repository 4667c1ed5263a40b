import type { Model } from '../shape/model.ts'
import { inEdition } from '../storage/editions.ts'
import { rowColumns } from '../storage/stored-row.ts'
import { limits } from './parse.ts'

/** The part of a list that one page shows. */
export interface Window {
  readonly limit: number
  readonly offset: number
  readonly column: string
  readonly descending: boolean
  /** It is longer than a page: all of a list that the public contract does not page. */
  readonly whole?: boolean
  /** Only rows behind this one, in the order of the window. */
  readonly behind?: { readonly value: string; readonly id: string; readonly cast: string }
}

/** What makes a placeholder's text a value of the type. */
export const casts = {
  text: '',
  uuid: '::uuid',
  time: '::timestamptz',
  number: '::float8',
  boolean: '::boolean',
} as const

/**
 * The statement of a page: its total (with the changes that are not merged yet), and its rows, which may refer to it as
 * `t`. Further tables come before it, which the total is made from too, or after it, for the rows.
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
  `SELECT t.total, t.unmerged, (${pageLengthSql}), ${rowColumns(resource, 'p.')} ` +
  `FROM t LEFT JOIN LATERAL (${rows}) p ON true ORDER BY ${order(window, 'p.')}`

/** A total that is counted row by row. */
export const countOf = (from: string) => `SELECT count(*) AS total, 0 AS unmerged ${from}`

/** The store's default page length. Its setting is the singleton `settings`. */
export const pageLengthSql = `SELECT doc->>'page_length' FROM singletons WHERE store_id = $1 AND name = 'settings'`

export function order({ column, descending }: Pick<Window, 'column' | 'descending'>, alias = ''): string {
  const way = descending ? 'DESC' : 'ASC'
  return column === 'id' ? `${alias}id ${way}` : `${alias}${column} ${way}, ${alias}id ${way}`
}

const bound = (n: number, cast: string) => `$${n}${cast}`

/**
 * Where a list's rows are: the store, the scope behind it, and the edition if it has any. Every statement of a list
 * begins with their values.
 */
export function address({ scopeColumns, editions }: Model, at = bound): string {
  const edition = at(scopeColumns.length + 2, '::int')
  return [
    `store_id = ${at(1, '::uuid')}`,
    ...scopeColumns.map((column, i) => `${column} = ${at(i + 2, '::uuid')}`),
    ...(editions ? [inEdition(edition)] : []),
  ].join(' AND ')
}

/** What tells a row from all others. */
export const keyOf = ({ scopeColumns, editions }: Model): string[] => [
  'store_id',
  'id',
  ...scopeColumns,
  ...(editions ? ['since'] : []),
]

/** The most rows that the statement of a window gives: a page by cursor looks one row ahead. */
export const rowsMax = ({ whole }: Pick<Window, 'whole'>): number =>
  (whole ? limits.wholeMax : limits.pageMax) + 1

/** The rows that these keys are of. The planner knows no limit of theirs, but that a page has one. */
export const wholeRows = (
  resource: Model,
  keys: string,
  window: Pick<Window, 'whole'>,
  from = resource.table,
): string =>
  `SELECT whole.* FROM (SELECT * FROM (${keys}) page LIMIT ${rowsMax(window)}) found ` +
  `JOIN ${from} whole USING (${keyOf(resource).join(', ')})`

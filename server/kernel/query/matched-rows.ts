import type { Model } from '../shape/model.ts'
import type { Binds } from '../storage/binds.ts'
import { countOf, keyOf, order, pageText, type Window, wholeRows } from './page-text.ts'
import { behindSql } from './places.ts'

/**
 * A page of the rows that meet an expensive condition. The database evaluates the condition once for each row: it finds
 * all matches, counts them, and sorts them by their keys.
 */
export function matchedText(
  resource: Model,
  window: Window,
  { rows, condition }: { readonly rows: string; readonly condition: string },
  binds: Pick<Binds, 'bind'>,
): string {
  const { limit, offset } = window
  const keys = [...new Set([...keyOf(resource), window.column])].join(', ')
  // The condition refers to columns by the table's name, as `rows` does.
  const matches = `matches AS MATERIALIZED (SELECT ${keys} ${rows} AND ${condition})`
  const behind = window.behind ? ` WHERE ${behindSql(window, binds)}` : ''
  const pageKeys =
    `SELECT ${keyOf(resource).join(', ')} FROM matches${behind} ` +
    `ORDER BY ${order(window)} LIMIT ${limit} OFFSET ${offset}`
  return pageText(
    resource,
    countOf('FROM matches'),
    wholeRows(resource, pageKeys, window, `(SELECT * ${rows})`),
    window,
    {
      before: [matches],
    },
  )
}

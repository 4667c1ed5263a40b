import { isDeepStrictEqual } from 'node:util'
import { Problem } from '../kernel/errors.ts'
import type { Rows } from '../kernel/storage/store.ts'
import type { Work } from '../kernel/work/context.ts'
import type { Locales } from './node-fields.ts'

/** One step of the way from a hierarchy down to a node. */
export interface Crumb {
  readonly id: string
  readonly name: string
  readonly slug?: string
  readonly locales?: Readonly<Record<string, { readonly name?: string }>>
}

interface Named {
  readonly name: string
  readonly slug?: string | null | undefined
  readonly locales?: Locales | null | undefined
}

/** What breadcrumbs show of a hierarchy or a node. */
export function crumbOf(id: string, { name, slug, locales }: Named): Crumb {
  const named = Object.entries(locales ?? {}).map(([code, { name }]) => [code, name ? { name } : {}])
  return {
    id,
    name,
    ...(slug && { slug }),
    ...(named.length && { locales: Object.fromEntries(named) }),
  }
}

/** Whether the two are named alike, as breadcrumbs show it. */
export const sameCrumb = (one: Named, other: Named): boolean =>
  isDeepStrictEqual(crumbOf('', one), crumbOf('', other))

/** Each node shows its whole way, so a tree has a bound. */
export const levelsMax = 20

export function mustNotBeTooDeep(levels: number, source: string): void {
  if (levels <= levelsMax) return
  const detail = `A node must be at most ${levelsMax} levels below its hierarchy, not ${levels}.`
  throw new Problem('unprocessable', detail, { source })
}

/** The breadcrumbs of a row, as a document that is asked by its content. An index has just this. */
export const breadcrumbsOf = (row: string): string => `(${row}.hidden->'breadcrumbs')::jsonb`

/**
 * Renews the breadcrumbs of everything below a node, or a hierarchy, that has these now: each has its parent's, and its
 * own step behind them. The hierarchy is closed meanwhile.
 */
export async function renewBreadcrumbsBelow(
  { store }: Work,
  nodes: Rows,
  id: string,
  breadcrumbs: readonly Crumb[],
): Promise<void> {
  await store.changeAll(nodes, {
    from: (bind) => `(
      WITH RECURSIVE below AS (
        SELECT ${bind(id)}::uuid AS id, ${bind(JSON.stringify(breadcrumbs))}::jsonb AS breadcrumbs
        UNION ALL
        SELECT c.id, below.breadcrumbs || (${breadcrumbsOf('c')} -> -1)
        FROM below JOIN nodes c ON c.store_id = $1 AND c.parent_id = below.id
      ) SELECT * FROM below) below`,
    where: (bind) => `r.id = below.id AND r.id <> ${bind(id)}::uuid`,
    hidden: () => `jsonb_set(r.hidden::jsonb, '{breadcrumbs}', below.breadcrumbs)::json`,
  })
}

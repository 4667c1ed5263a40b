import { isDeepStrictEqual } from 'node:util'
import { Problem } from '../../kernel/errors.ts'
import type { Rows } from '../../kernel/storage/store.ts'
import type { Work } from '../../kernel/work/context.ts'
import type { NodeLocales } from './node-fields.ts'

/** One step of the path from a hierarchy down to a node. */
export interface Crumb {
  readonly id: string
  readonly name: string
  readonly slug?: string
  readonly locales?: Readonly<Record<string, { readonly name?: string }>>
}

/** The names of a hierarchy or a node. */
interface NodeNames {
  readonly name: string
  readonly slug?: string | null | undefined
  readonly locales?: NodeLocales | null | undefined
}

/** The step of a hierarchy or a node, as breadcrumbs show it. */
export function crumbOf(id: string, { name, slug, locales }: NodeNames): Crumb {
  const localizedNames = Object.entries(locales ?? {}).map(([code, { name }]) => [code, name ? { name } : {}])
  return {
    id,
    name,
    ...(slug && { slug }),
    ...(localizedNames.length && { locales: Object.fromEntries(localizedNames) }),
  }
}

/** Whether breadcrumbs show the same names for both. */
export const sameCrumb = (one: NodeNames, other: NodeNames): boolean =>
  isDeepStrictEqual(crumbOf('', one), crumbOf('', other))

/** The depth has a limit because each node stores its whole path. */
const levelsMax = 20

export function mustNotBeTooDeep(levels: number, source: string): void {
  if (levels <= levelsMax) return
  const detail = `A node must be at most ${levelsMax} levels below its hierarchy, not ${levels}.`
  throw new Problem('unprocessable', detail, { source })
}

/** The breadcrumbs of a row as `jsonb`, for searches by content. An index uses this exact expression. */
export const breadcrumbsOf = (row: string): string => `(${row}.hidden->'breadcrumbs')::jsonb`

/**
 * Updates the breadcrumbs of all nodes below a node or a hierarchy, which now has these. Each node has the breadcrumbs
 * of its parent, followed by its own step. The caller has locked the hierarchy.
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

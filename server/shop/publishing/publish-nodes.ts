import { isDeepStrictEqual } from 'node:util'
import { columns, flag, json, optional, optionalText } from '../../kernel/storage/columns.ts'
import { isCurrent } from '../../kernel/storage/editions.ts'
import { isoTime } from '../../kernel/storage/expressions.ts'
import { inParts, type SizedRows } from '../../kernel/storage/sized-parts.ts'
import type { Publication } from '../sources/publication.ts'
import type { NodeStep } from '../sources/published-product.ts'

/** The data from which a node or hierarchy is published. */
interface NodeSource {
  readonly parentId: string | undefined
  /** As the merchant sees them. */
  readonly attributes: Readonly<Record<string, unknown>>
  /** The path from its hierarchy, with itself last. */
  readonly breadcrumbs: readonly NodeStep[]
  readonly hasChildren: boolean
  /** The place among its siblings, or of a hierarchy in the catalog; highest first. */
  readonly place: string
}

/** The published row of a node: its document and its keys. */
interface PublishedNode {
  readonly doc: {
    readonly attributes: Readonly<Record<string, unknown>>
    readonly meta: Readonly<Record<string, unknown>>
  }
  readonly hidden: {
    readonly hierarchy_id?: string | undefined
    readonly parent_id?: string | undefined
    readonly place: string
    readonly locales?: unknown
    /** The path to it, which its products publish too. */
    readonly way: readonly NodeStep[]
  }
}

const unpublished = new Set(['admin_attributes', 'locales'])

/** Makes the published row of a node or hierarchy. */
function publishedNode(source: NodeSource): PublishedNode {
  const { parentId, attributes, breadcrumbs, hasChildren, place } = source
  const shown = Object.entries(attributes).filter(([name, value]) => value != null && !unpublished.has(name))
  const hierarchyId = parentId === undefined ? undefined : breadcrumbs[0]?.id
  const ids = breadcrumbs.map(({ id }) => id)
  return {
    doc: {
      attributes: Object.fromEntries(shown),
      meta: {
        breadcrumbs: breadcrumbs.map(({ id, name, slug }) => ({ id, name, slug })),
        ...(hierarchyId && { bread_crumb: ids }),
        has_children: hasChildren,
      },
    },
    hidden: {
      hierarchy_id: hierarchyId,
      parent_id: parentId,
      place,
      locales: attributes.locales ?? undefined,
      way: breadcrumbs.map(({ id, name, slug }) => ({ id, name, ...(slug !== undefined && { slug }) })),
    },
  }
}

const sizedNodes: SizedRows = { table: 'nodes', columns: ['doc'] }

/**
 * Publishes the hierarchies of a catalog and their nodes. Returns the nodes whose path or curated products changed:
 * their products must be checked again.
 */
export async function publishNodes(publication: Publication): Promise<readonly string[]> {
  const { gone, changed } = await findChangedNodes(publication)
  const moved = [...gone]
  await end(publication, gone)
  for await (const ids of inParts(publication.work.store, sizedNodes, [...changed.keys()])) {
    moved.push(...(await publishSome(publication, ids, changed)))
  }
  return moved
}

/**
 * A published node depends only on its own row, on whether it has children, and on the catalog's order of
 * hierarchies.
 */
async function findChangedNodes({ work, catalogId, hierarchyIds }: Publication) {
  const rows = await work.store.runLong(
    `WITH next_nodes AS (
       SELECT n.id, n.version || ' ' || n.has_children || ' ' || n.hierarchy_id || ' ' ||
         coalesce(array_position($3::uuid[], n.id), 0) AS state
       FROM nodes n
       WHERE n.store_id = $1 AND (n.hierarchy_id = ANY($3::uuid[]) OR n.id = ANY($3::uuid[]))
     ), open AS (
       SELECT p.id, p.hidden->>'state' AS state FROM published_nodes p
       WHERE p.store_id = $1 AND p.catalog_id = $2 AND ${isCurrent('p')}
     )
     SELECT coalesce(w.id, o.id), w.id IS NULL, w.state FROM next_nodes w FULL JOIN open o ON o.id = w.id
     WHERE w.state IS DISTINCT FROM o.state ORDER BY 1`,
    catalogId,
    hierarchyIds,
  )
  return {
    gone: rows.flatMap(([id, isGone]) => (isGone === 't' ? [id as string] : [])),
    /** The state of each, by its id. */
    changed: new Map(
      rows.flatMap(([id, isGone, state]) =>
        isGone === 't' ? [] : [[id as string, state as string] as const],
      ),
    ),
  }
}

const currentColumns = columns({
  id: 'id',
  hidden: ['hidden', json<PublishedNode['hidden']>],
  curated: ["doc->'attributes'->'curated_products'", optional(json<unknown>)],
})

async function publishSome(
  publication: Publication,
  ids: readonly string[],
  states: ReadonlyMap<string, string>,
): Promise<readonly string[]> {
  const before = await findCurrentNodes(publication, ids)
  await end(publication, ids)
  const nodes = await readNodes(publication, ids)
  await begin(publication, nodes, states)
  return nodes
    .filter(({ id, published: { doc, hidden } }) => {
      const was = before.get(id)
      return (
        !was ||
        !isDeepStrictEqual(was.hidden.way, hidden.way) ||
        !isDeepStrictEqual(was.curated, doc.attributes.curated_products)
      )
    })
    .map(({ id }) => id)
}

async function findCurrentNodes(
  { work, catalogId }: Publication,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ReturnType<typeof currentColumns.read>>> {
  const rows = await work.store.run(
    `SELECT ${currentColumns.sql} FROM published_nodes
     WHERE store_id = $1 AND catalog_id = $2 AND id = ANY($3::uuid[]) AND ${isCurrent()}`,
    catalogId,
    ids,
  )
  return new Map(rows.map(currentColumns.read).map((node) => [node.id, node]))
}

interface NodeRow {
  readonly id: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly published: PublishedNode
}

const nodeColumns = columns({
  id: 'id',
  createdAt: isoTime('created_at'),
  updatedAt: isoTime('updated_at'),
  parentId: ['parent_id', optionalText],
  place: 'place',
  hasChildren: ['has_children', flag],
  attributes: ["doc->'attributes'", json<object>],
  breadcrumbs: ["hidden->'breadcrumbs'", json<Parameters<typeof publishedNode>[0]['breadcrumbs']>],
})

async function readNodes(
  { work, hierarchyIds }: Publication,
  ids: readonly string[],
): Promise<readonly NodeRow[]> {
  const rows = await work.store.run(
    `SELECT ${nodeColumns.sql} FROM nodes WHERE store_id = $1 AND id = ANY($2::uuid[]) ORDER BY id`,
    ids,
  )
  return rows.map(nodeColumns.read).map(({ id, createdAt, updatedAt, attributes, ...node }) => ({
    ...{ id, createdAt, updatedAt },
    published: publishedNode({
      ...node,
      attributes: { ...attributes, created_at: createdAt, updated_at: updatedAt },
      place: node.parentId === undefined ? String(-hierarchyIds.indexOf(id)) : node.place,
    }),
  }))
}

async function end(publication: Publication, ids: readonly string[]): Promise<void> {
  const { work, catalogId, edition } = publication
  if (!ids.length) return
  const rows = await work.store.runLong(
    `UPDATE published_nodes SET until = $4::int
     WHERE store_id = $1 AND catalog_id = $2 AND id = ANY($3::uuid[]) AND ${isCurrent()}
     RETURNING hierarchy_id, parent_id`,
    catalogId,
    ids,
    edition,
  )
  for (const [hierarchyId, parentId] of rows)
    count(publication, hierarchyId ?? undefined, parentId ?? undefined, -1)
}

function count(
  { totals, catalogId }: Publication,
  hierarchyId: string | undefined,
  parentId: string | undefined,
  by: 1 | -1,
): void {
  if (hierarchyId === undefined || parentId === undefined) {
    totals.count('published_nodes.hierarchies_of', [catalogId], by)
    return
  }
  totals.count('published_nodes.nodes_of', [catalogId], by)
  totals.count('published_nodes.hierarchy_id', [catalogId, hierarchyId], by)
  totals.count('published_nodes.parent_id', [catalogId, parentId], by)
}

async function begin(
  publication: Publication,
  nodes: readonly NodeRow[],
  states: ReadonlyMap<string, string>,
): Promise<void> {
  const { work, catalogId, edition, at } = publication
  await work.store.runLong(
    `INSERT INTO published_nodes (store_id, catalog_id, since, id, created_at, updated_at, doc, hidden)
     SELECT $1, $2, $3::int, * FROM unnest($4::uuid[], $5::timestamptz[], $6::timestamptz[], $7::json[], $8::json[])`,
    catalogId,
    edition,
    nodes.map(({ id }) => id),
    nodes.map(({ createdAt }) => createdAt),
    nodes.map(({ updatedAt }) => updatedAt),
    nodes.map(({ published }) => JSON.stringify(published.doc)),
    nodes.map(({ id, published }) =>
      JSON.stringify({ ...published.hidden, state: states.get(id), published_at: at }),
    ),
  )
  for (const { published } of nodes) {
    count(publication, published.hidden.hierarchy_id, published.hidden.parent_id, 1)
  }
}

import { type ProductFields, products } from '../../assortment/index.ts'
import { findAll } from '../../kernel/query/find.ts'
import type { Row } from '../../kernel/shape/model.ts'
import { columns, flag } from '../../kernel/storage/columns.ts'
import { isoTime } from '../../kernel/storage/expressions.ts'
import type { SizedRows } from '../../kernel/storage/sized-parts.ts'
import type { Work } from '../../kernel/work/context.ts'
import { optionsForSale } from './bundle-options.ts'
import { currentVariations } from './current-variations.ts'
import type { Assignment, NodeStep, ProductSource } from './published-product.ts'

/** The paths to nodes, by node id. Many products share them. */
export type Ways = Map<string, readonly NodeStep[]>

/** What of a product may be long. */
export const sizedProducts: SizedRows = { table: 'products', columns: ['doc', 'hidden'] }

/** Reads the data from which products are published. Deleted products are left out. */
export async function productSources(
  work: Work,
  ids: readonly string[],
  hierarchyIds: readonly string[],
  ways: Ways,
): Promise<readonly ProductSource[]> {
  const rows = await findAll(work, products, ids)
  const details = rows.map((row) => ({ row, hidden: row.hidden, attributes: attributesOf(row) }))
  const parentIds = [...new Set(details.flatMap(({ hidden }) => hidden.parent_id ?? []))]
  const assignments = await assignmentsOf(work, [...ids, ...parentIds], hierarchyIds, ways)
  const files = await filesOf(work, [...ids, ...parentIds])
  const parents = await liveParents(work, parentIds, { assignments, files })
  const children = await liveChildren(
    work,
    details.filter(({ hidden }) => hidden.product_type === 'parent').map(({ row }) => row.id),
  )
  const options = await optionsOfListed(work, ids, hierarchyIds)
  const forSale = await optionsForSale(
    work,
    details.flatMap(({ attributes: { components } }) => (components ? [components] : [])),
  )
  const variations = await currentVariations(
    work,
    details.flatMap(({ hidden }) =>
      [...(hidden.variations ?? []), ...(hidden.child_variations ?? [])].map(({ id }) => id),
    ),
  )
  const priceModifiers = await priceModifiersOf(
    work,
    details.flatMap(({ hidden }) => hidden.child_variations ?? []),
  )
  const related = await relatedTo(
    work,
    details.filter(({ hidden }) => hidden.custom_relationships?.length).map(({ row }) => row.id),
  )
  return details.map(({ row, hidden, attributes }) => ({
    id: row.id,
    updatedAt: row.updatedAt,
    createdAt: row.createdAt,
    attributes: { ...attributes, created_at: row.createdAt, updated_at: row.updatedAt },
    internal: hidden,
    assignments: assignments.get(row.id) ?? [],
    parent: hidden.parent_id === undefined ? undefined : parents.get(hidden.parent_id),
    liveChildren: children.get(row.id) ?? none,
    isOption: options.has(row.id),
    optionsForSale: forSale,
    variations,
    files: files.get(row.id) ?? [],
    priceModifiers: (hidden.child_variations ?? []).flatMap(
      ({ option }) => priceModifiers.get(option.id) ?? [],
    ),
    related: Object.fromEntries(related.get(row.id) ?? []),
  }))
}

const none: ReadonlySet<string> = new Set()

const attributesOf = ({ text }: Row<ProductFields>): ProductSource['attributes'] =>
  (JSON.parse(text) as { attributes: ProductSource['attributes'] }).attributes

const assignmentColumns = columns({
  id: 'l.id',
  nodeId: 'l.node_id',
  place: 'l.place',
  curated: ['l.curated IS NOT NULL', flag],
})

/** The nodes of each product in these hierarchies, newest assignment first. */
async function assignmentsOf(
  work: Work,
  ids: readonly string[],
  hierarchyIds: readonly string[],
  ways: Ways,
): Promise<ReadonlyMap<string, readonly Assignment[]>> {
  const rows = await work.store.run(
    `SELECT ${assignmentColumns.sql} FROM node_products l
     JOIN nodes n ON n.store_id = l.store_id AND n.id = l.node_id
     WHERE l.store_id = $1 AND l.id = ANY($2::uuid[]) AND n.hierarchy_id = ANY($3::uuid[])
     ORDER BY l.created_at DESC, l.node_id`,
    ids,
    hierarchyIds,
  )
  const assigned = rows.map(assignmentColumns.read)
  const nodeIds = assigned.map(({ nodeId }) => nodeId)
  await learnWays(work, nodeIds, ways)
  return grouped(
    assigned.map(({ id, nodeId, ...rest }): [string, Assignment] => [
      id,
      { way: ways.get(nodeId) ?? [], ...rest },
    ]),
  )
}

async function learnWays({ store }: Work, nodeIds: readonly string[], ways: Ways): Promise<void> {
  const unknown = [...new Set(nodeIds)].filter((id) => !ways.has(id))
  if (!unknown.length) return
  const rows = await store.run(
    `SELECT id, hidden->'breadcrumbs' FROM nodes WHERE store_id = $1 AND id = ANY($2::uuid[])`,
    unknown,
  )
  for (const [id, breadcrumbs] of rows) {
    const steps = JSON.parse(breadcrumbs as string) as readonly NodeStep[]
    ways.set(
      id as string,
      steps.map(({ id, name, slug }) => ({ id, name, slug })),
    )
  }
}

/** The live parents among these. */
async function liveParents(
  { store }: Work,
  ids: readonly string[],
  { assignments, files }: ProductParts,
): Promise<ReadonlyMap<string, NonNullable<ProductSource['parent']>>> {
  if (!ids.length) return new Map()
  const rows = await store.run(
    `SELECT id, sku, hidden#>>'{relationships,main_image,data,id}' FROM products
     WHERE store_id = $1 AND id = ANY($2::uuid[]) AND status = 'live'`,
    ids,
  )
  return new Map(
    rows.map(([id, sku, mainImageId]) => [
      id as string,
      {
        sku: sku ?? undefined,
        mainImageId: mainImageId ?? undefined,
        assignments: assignments.get(id as string) ?? [],
        files: files.get(id as string) ?? [],
      },
    ]),
  )
}

/** What other tables have about products, by their ids. */
interface ProductParts {
  readonly assignments: ReadonlyMap<string, readonly Assignment[]>
  readonly files: ReadonlyMap<string, ProductSource['files']>
}

async function liveChildren(
  { store }: Work,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  if (!ids.length) return new Map()
  const rows = await store.run(
    `SELECT parent_id, id FROM products WHERE store_id = $1 AND parent_id = ANY($2::uuid[]) AND status = 'live'`,
    ids,
  )
  const byParent = grouped(rows as readonly [string, string][])
  return new Map([...byParent].map(([parent, children]) => [parent, new Set(children)]))
}

/** Which products are options of a listed bundle, directly, through another bundle, or as children of an option. */
async function optionsOfListed(
  { store }: Work,
  ids: readonly string[],
  hierarchyIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await store.run(
    `WITH RECURSIVE above (option_id, id) AS (
       SELECT c.id, c.bundle_id FROM product_components c WHERE c.store_id = $1 AND c.id = ANY($2::uuid[])
       UNION
       SELECT p.id, c.bundle_id FROM products p
       JOIN products o ON o.store_id = $1 AND o.id = p.parent_id AND o.status = 'live'
       JOIN product_components c ON c.store_id = $1 AND c.id = o.id
       WHERE p.store_id = $1 AND p.id = ANY($2::uuid[])
       UNION
       SELECT a.option_id, c.bundle_id FROM above a
       JOIN products b ON b.store_id = $1 AND b.id = a.id AND b.status = 'live'
       JOIN product_components c ON c.store_id = $1 AND c.id = a.id
     )
     SELECT DISTINCT a.option_id FROM above a
     JOIN products b ON b.store_id = $1 AND b.id = a.id AND b.status = 'live'
     WHERE EXISTS (
       SELECT FROM node_products l JOIN nodes n ON n.store_id = l.store_id AND n.id = l.node_id
       WHERE l.store_id = $1 AND l.id = a.id AND n.hierarchy_id = ANY($3::uuid[]))`,
    ids,
    hierarchyIds,
  )
  return new Set(rows.map(([id]) => id as string))
}

async function filesOf({ store }: Work, ids: readonly string[]) {
  const rows = await store.run(
    `SELECT product_id, id, ${isoTime('created_at')} FROM product_files
     WHERE store_id = $1 AND product_id = ANY($2::uuid[]) ORDER BY created_at, id`,
    ids,
  )
  return grouped(
    rows.map(([product, id, at]) => [product as string, { id: id as string, created_at: at as string }]),
  )
}

async function priceModifiersOf(
  { store }: Work,
  variations: readonly { readonly id: string; readonly option: { readonly id: string } }[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (!variations.length) return new Map()
  const rows = await store.run(
    `SELECT option_id, doc->'attributes'->>'reference_name' FROM product_variation_modifiers
     WHERE store_id = $1 AND variation_id = ANY($2::uuid[]) AND option_id = ANY($3::uuid[]) AND type = 'price'
       AND doc->'attributes'->>'reference_name' IS NOT NULL
     ORDER BY created_at, id`,
    [...new Set(variations.map(({ id }) => id))],
    [...new Set(variations.map(({ option }) => option.id))],
  )
  return grouped(rows as readonly [string, string][])
}

/** The related products, by the slug of each custom relationship, in order. */
async function relatedTo({ store }: Work, ids: readonly string[]) {
  if (!ids.length) return new Map<string, ReadonlyMap<string, readonly string[]>>()
  const rows = await store.run(
    `SELECT a.product_id, r.slug, a.id FROM associated_products a
     JOIN custom_relationships r ON r.store_id = a.store_id AND r.id = a.custom_relationship_id
     WHERE a.store_id = $1 AND a.product_id = ANY($2::uuid[]) ORDER BY a.place, a.id`,
    ids,
  )
  const byProduct = grouped(
    rows.map(([product, slug, id]) => [product as string, [slug, id] as [string, string]]),
  )
  return new Map([...byProduct].map(([product, pairs]) => [product, grouped(pairs)]))
}

function grouped<V>(pairs: Iterable<readonly [string, V]>): ReadonlyMap<string, readonly V[]> {
  const groups = new Map<string, V[]>()
  for (const [key, value] of pairs) {
    const group = groups.get(key)
    if (group) group.push(value)
    else groups.set(key, [value])
  }
  return groups
}

import { type Resource, resource } from '../../kernel/declare/resource.ts'
import { findByName } from '../../kernel/query/find.ts'
import { integer } from '../../kernel/shape/fields.ts'
import type { Row } from '../../kernel/shape/model.ts'
import { columns, flag, number } from '../../kernel/storage/columns.ts'
import type { Work } from '../../kernel/work/context.ts'
import type { Other } from '../product-fields/association-rules.ts'
import { productEnvelope } from '../product-fields/product-envelope.ts'
import { type CustomRelationshipFields, customRelationships } from './custom-relationships.ts'
import { products } from './products.ts'

/** The products that a product is associated with by a custom relationship, under their own ids. */
export const associations: Resource = resource({
  type: 'product',
  noun: ['associated-product', 'associated-products'],
  about: 'A product that another product is associated with by a custom relationship.',
  path: '',
  table: 'associated_products',
  scope: { columns: ['product_id', 'custom_relationship_id'] },
  fields: { sort_order: integer({ nullable: true, about: 'The lowest number comes first.' }) },
  order: {
    by: 'place',
    about: 'products with a sort_order first, lowest first; then the others as they were added',
  },
  counted: false,
  area: 'products',
  envelope: { ...productEnvelope, times: 'none', links: 'none' },
  operations: [],
})

/** A custom relationship of a product, as a path names them. */
export interface ProductRelationship {
  readonly productId: string
  readonly by: Row<CustomRelationshipFields>
}

/** Finds the product and the relationship, which need not be attached. Throws a Problem (404) if one does not exist. */
export async function findBoth(
  work: Work,
  params: { product_id: string; slug: string },
): Promise<ProductRelationship> {
  const { id } = await findByName(work, products, params.product_id)
  return { productId: id, by: await findByName(work, customRelationships, params.slug) }
}

const associated = 'FROM associated_products a WHERE a.store_id = $1 AND a.custom_relationship_id = $3::uuid'
const attached = 'FROM product_custom_relationships a WHERE a.store_id = $1 AND a.product_id = p.id'

/** `$2` is the product, `$3` the custom relationship, and `p` the other product. */
const sideColumns = columns({
  id: 'p.id',
  attached: [`(SELECT count(*) ${attached})`, number],
  isAttached: [`EXISTS (SELECT ${attached} AND a.id = $3::uuid)`, flag],
  associated: [`(SELECT count(*) ${associated} AND a.product_id = p.id)`, number],
  isAssociated: [`EXISTS (SELECT ${associated} AND a.product_id = $2::uuid AND a.id = p.id)`, flag],
  leadsBack: [`EXISTS (SELECT ${associated} AND a.product_id = p.id AND a.id = $2::uuid)`, flag],
})

/** Reads what the association rules need to know about some products. */
export async function findSides(
  { store }: Work,
  { productId, by }: ProductRelationship,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Other>> {
  const rows = await store.run(
    `SELECT ${sideColumns.sql}
     FROM products p WHERE p.store_id = $1 AND p.id = ANY($4::uuid[])`,
    productId,
    by.id,
    ids,
  )
  return new Map(rows.map(sideColumns.read).map((side) => [side.id, side]))
}

/**
 * Attaches a custom relationship to products. Those that do not have it yet get a new version; returns their ids.
 */
export async function attach(
  { store, clock }: Work,
  { id, doc }: Row<CustomRelationshipFields>,
  productIds: readonly string[],
): Promise<readonly string[]> {
  await store.runLong(
    `INSERT INTO product_custom_relationships (store_id, product_id, id, created_at)
     SELECT $1, product_id, $2, $3 FROM unnest($4::uuid[]) product_id ON CONFLICT DO NOTHING`,
    id,
    clock.now(),
    productIds,
  )
  const had = `coalesce(r.hidden::jsonb->'custom_relationships', '[]')`
  return store.changeAll(products, {
    where: (bind) => `r.id = ANY(${bind(productIds)}::uuid[]) AND NOT ${had} ? ${bind(doc.slug)}::text`,
    hidden: (bind) =>
      `jsonb_set(r.hidden::jsonb, '{custom_relationships}', ${had} || to_jsonb(${bind(doc.slug)}::text))::json`,
  })
}

/** A link from one product to another, with its place. */
interface Association {
  readonly from: string
  readonly to: string
  readonly sortOrder?: number | null | undefined
}

/**
 * Stores links after the existing ones. An existing link gets the new sort_order. Returns the products whose links
 * have changed.
 */
export async function link(
  { store, clock }: Work,
  by: string,
  links: readonly Association[],
): Promise<readonly string[]> {
  const changed = await store.runLong(
    `WITH last AS (
       SELECT product_id, max(number) AS number FROM associated_products
       WHERE store_id = $1 AND custom_relationship_id = $2 AND product_id = ANY($4::uuid[]) GROUP BY product_id)
     INSERT INTO associated_products (store_id, product_id, custom_relationship_id, id, created_at, updated_at, doc, number)
     SELECT $1, l.product_id, $2, l.id, $3, $3, l.doc::json, l.n + coalesce(last.number, 0)
     FROM unnest($4::uuid[], $5::uuid[], $6::text[]) WITH ORDINALITY l (product_id, id, doc, n)
     LEFT JOIN last USING (product_id)
     ON CONFLICT (store_id, product_id, custom_relationship_id, id) DO UPDATE SET
       doc = excluded.doc, updated_at = excluded.updated_at
       WHERE associated_products.doc::text <> excluded.doc::text
     RETURNING product_id`,
    by,
    clock.now(),
    links.map(({ from }) => from),
    links.map(({ to }) => to),
    links.map(({ sortOrder }) =>
      JSON.stringify(sortOrder == null ? {} : { attributes: { sort_order: sortOrder } }),
    ),
  )
  return changed.map(([id]) => id as string)
}

/** Removes links, and the links back with them. Returns the products that had them. */
export async function unlink(
  { store }: Work,
  { productId, by }: ProductRelationship,
  ids: readonly string[],
): Promise<readonly string[]> {
  const removed = await store.runLong(
    `DELETE FROM associated_products WHERE store_id = $1 AND custom_relationship_id = $3
       AND (product_id = $2 AND id = ANY($4::uuid[]) OR $5::boolean AND id = $2 AND product_id = ANY($4::uuid[]))
     RETURNING product_id`,
    productId,
    by.id,
    ids,
    by.doc.bi_directional,
  )
  return removed.map(([id]) => id as string)
}

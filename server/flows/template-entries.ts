import type { Work } from '../kernel/context.ts'
import type { Resource, Row } from '../kernel/resource.ts'
import { entries, type Kept } from './entries.ts'
import { flowEntries } from './flow-rows.ts'

/** Something that is shown with the product has changed. */
const touchProduct = async ({ store }: Work, { id }: Row): Promise<void> =>
  void (await store.touchAll({ table: 'products' }, (bind) => `r.id = ${bind(id)}`))

/** As `entriesOfTemplates`, for whoever writes many, and touches their products. */
export const entriesOfMany: Resource = {
  ...entries,
  beforeWrite: (_work, draft) => {
    const values = draft.values as { meta?: Kept }
    values.meta = { product_id: draft.id }
  },
}

/** The entries of templates: each has the id of its product, and goes with it. */
export const entriesOfTemplates: Resource = {
  ...entriesOfMany,
  afterWrite: touchProduct,
  afterDelete: touchProduct,
}

/**
 * The document of a product with what templates say of it: by the template's slug, then by the field's. Few have any,
 * so the document of the rest is shown as it is stored.
 */
export const withExtensions = (product: string): string =>
  `coalesce((SELECT jsonb_set(${product}doc::jsonb, '{attributes,extensions}', jsonb_object_agg(w.slug, e.doc))::json
    FROM flow_entries e JOIN flows w ON w.store_id = e.store_id AND w.id = e.flow_id AND w.doc->>'enabled' = 'true'
    WHERE e.store_id = ${product}store_id AND e.product_id = ${product}id HAVING count(*) > 0), ${product}doc)`

/**
 * Gives these products the entries that another has, but for those of templates that they have entries of themselves.
 * The ids of those that were given some.
 */
export async function copyTemplateEntries(
  { store }: Work,
  from: string,
  to: readonly string[],
): Promise<readonly string[]> {
  const found = await store.rows(
    'SELECT flow_id FROM flow_entries WHERE store_id = $1 AND product_id = $2',
    from,
  )
  if (!found.length || !to.length) return []
  // Values are as the fields that they are of until the transaction ends.
  const flows = found.map(([flow]) => flow)
  await store.glanceAndKeep(
    'SELECT 1 FROM added_fields WHERE store_id = $1 AND name = ANY($2::text[])',
    flows,
  )
  return store.insertFrom(flowEntries, {
    columns: ['flow_id', 'id', 'doc', 'hidden'],
    rows: (bind) =>
      `SELECT e.flow_id, p.id, e.doc,
         (e.hidden::jsonb || jsonb_build_object('meta', jsonb_build_object('product_id', p.id)))::json
       FROM flow_entries e, unnest(${bind(to)}::uuid[]) AS p (id)
       WHERE e.store_id = $1 AND e.product_id = ${bind(from)}::uuid AND e.flow_id = ANY(${bind(flows)}::uuid[])`,
  })
}

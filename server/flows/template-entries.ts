import type { Work } from '../kernel/context.ts'
import type { Resource, Row } from '../kernel/resource.ts'
import { entries, type Kept } from './entries.ts'
import { flowEntries } from './flow-rows.ts'

/** Something that is shown with the product has changed. */
const touchProduct = async ({ store }: Work, { id }: Row): Promise<void> =>
  void (await store.touchAll({ table: 'products' }, (bind) => `r.id = ${bind(id)}`))

/** The entries of templates: each has the id of its product, and goes with it. */
export const entriesOfTemplates: Resource = {
  ...entries,
  beforeWrite: (_work, draft) => {
    const values = draft.values as { meta?: Kept }
    values.meta = { product_id: draft.id }
  },
  afterWrite: touchProduct,
  afterDelete: touchProduct,
}

/** What templates say of a product: by the template's slug, then by the field's. */
export type Extensions = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** What templates say of these products, by their ids: what a product shows under `extensions`. */
export async function extensionsOf(
  { store }: Work,
  productIds: readonly string[],
): Promise<ReadonlyMap<string, Extensions>> {
  const rows = await store.rows(
    `SELECT e.product_id, json_object_agg(w.slug, e.doc ORDER BY w.slug) FROM flow_entries e
     JOIN flows w ON w.store_id = e.store_id AND w.id = e.flow_id AND w.doc->>'enabled' = 'true'
     WHERE e.store_id = $1 AND e.product_id = ANY($2::uuid[]) GROUP BY e.product_id`,
    productIds,
  )
  return new Map(rows.map(([id, values]) => [id as string, JSON.parse(values as string) as Extensions]))
}

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

/** The entries of a product go before it does, while the change feed can still say what they were. */
export async function removeTemplateEntries({ store }: Work, productId: string): Promise<void> {
  await store.removeAll({ table: 'flow_entries' }, (bind) => `r.product_id = ${bind(productId)}`)
}

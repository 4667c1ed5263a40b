import type { Resource } from '../../kernel/declare/resource.ts'
import { shownSchema } from '../../kernel/declare/shown-schema.ts'
import type { JsonSchema } from '../../kernel/shape/fields.ts'
import type { Row } from '../../kernel/shape/model.ts'
import { readOnly, shown } from '../../kernel/shape/shown.ts'
import type { Work } from '../../kernel/work/context.ts'
import { shownFieldsOf } from './define.ts'
import { type EntryMeta, entries } from './entries.ts'
import { flowEntries } from './flow-rows.ts'
import type { Template } from './templates.ts'

/** Makes a new version of the product, because it shows its template entries. */
const touchProduct = async ({ store }: Work, { id }: Row): Promise<void> =>
  void (await store.touchAll({ table: 'products' }, (bind) => `r.id = ${bind(id)}`))

/** As `entriesOfTemplates`, for callers who write many entries and touch the products themselves. */
export const entriesOfMany: Resource = {
  ...entries,
  beforeWrite: (_work, draft) => {
    const values = draft.values as { meta?: EntryMeta }
    values.meta = { product_id: draft.id }
  },
}

/** The entries of templates: each has the id of its product, and is deleted with it. */
export const entriesOfTemplates: Resource = {
  ...entriesOfMany,
  afterWrite: touchProduct,
  afterDelete: touchProduct,
}

/** SQL for the values of an entry, with null for fields without a value that are not omitted. */
const completed = `coalesce(a.nothing, '{}') || jsonb_strip_nulls(e.doc::jsonb)`

type TemplateFields = Pick<Template, 'slug' | 'entries'>

const fieldsOf = (templates: readonly TemplateFields[]) => {
  const properties = Object.fromEntries(templates.map((one) => [one.slug, templateSchema(one)]))
  const about = 'The values of template fields, by the slug of the template and then of the field.'
  // Beside members, a type of the other keys would have to fit the members too.
  const others = templates.length ? true : { type: 'object', additionalProperties: true }
  return {
    extensions: readOnly(shown.as<object>({ type: 'object', properties, additionalProperties: others }), {
      about,
    }),
  }
}

/** The template values that a product shows. */
export const withExtensions = {
  fields: fieldsOf([]),
  sql: (product: string): string =>
    `(SELECT '"extensions":{' || string_agg(to_json(w.slug)::text || ':' || (${completed})::text, ',') || '}'
      FROM flow_entries e JOIN flows w ON w.store_id = $1 AND w.id = e.flow_id AND w.doc->>'enabled' = 'true'
      LEFT JOIN added_fields a ON a.store_id = $1 AND a.name = w.id::text
      WHERE e.store_id = $1 AND e.product_id = ${product}id)`,
}

/** The same, with the types of the templates of a store. */
export const extensionsOf = (templates: readonly TemplateFields[]) => ({
  ...withExtensions,
  fields: fieldsOf(templates),
})

function templateSchema({ entries: own }: TemplateFields): JsonSchema {
  const { properties } = shownSchema(own) as { properties: Readonly<Record<string, JsonSchema>> }
  const shown = shownFieldsOf(own).flatMap(({ name }) => {
    const schema = properties[name]
    return schema ? [[name, schema] as const] : []
  })
  return { type: 'object', properties: Object.fromEntries(shown) }
}

/**
 * Copies the template entries of a product to these products, except for templates that they already have entries of.
 * Returns the ids of the products that got entries.
 */
export async function copyTemplateEntries(
  { store }: Work,
  from: string,
  to: readonly string[],
): Promise<readonly string[]> {
  const rows = await store.run(
    'SELECT flow_id FROM flow_entries WHERE store_id = $1 AND product_id = $2',
    from,
  )
  if (!rows.length || !to.length) return []
  // Locked until the end of the transaction, so that the values fit the fields.
  const flows = rows.map(([flow]) => flow)
  await store.readAndLock('SELECT 1 FROM added_fields WHERE store_id = $1 AND name = ANY($2::text[])', flows)
  return store.insertFrom(flowEntries, {
    columns: ['flow_id', 'id', 'doc', 'hidden'],
    rows: (bind) =>
      `SELECT e.flow_id, p.id, e.doc,
         (e.hidden::jsonb || jsonb_build_object('meta', jsonb_build_object('product_id', p.id)))::json
       FROM flow_entries e, unnest(${bind(to)}::uuid[]) AS p (id)
       WHERE e.store_id = $1 AND e.product_id = ${bind(from)}::uuid AND e.flow_id = ANY(${bind(flows)}::uuid[])`,
  })
}

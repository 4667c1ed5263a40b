import { Problem } from '../../kernel/errors.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import type { Shop } from './field-values.ts'
import type { Search } from './read-searches.ts'
import { sortField } from './search-fields.ts'

/** What any product may have a value of. */
const ofProducts = new Set([
  'tags',
  'commodity_type',
  'external_ref',
  'base_product',
  'base_product_id',
  'nodes.slug',
  'meta.product_types',
])

/** No schema has these names: merchants choose those of texts for shoppers, and a tree has any number of levels. */
const ofAnyName = /^(?:shopper_attributes\..|categories\.lvl\d+$)/

/**
 * Refuses (400) a field to sort by that is in no schema: neither one of all products nor one of a template. A field is
 * known before the first product has a value of it. What is published also stays known when its template is deleted.
 */
export async function mustKnowSortFields(
  { store }: Ctx,
  { catalogId }: Shop,
  searches: readonly Search[],
): Promise<void> {
  const fields = searches.flatMap(({ sort }, i) =>
    sort.map(({ field }) => ({ i, field, key: sortField(field) })),
  )
  const unsortable = fields.find(({ key }) => key.in === 'words')
  if (unsortable) throw refuse(unsortable)
  const names = fields.flatMap(({ key }) =>
    key.in === 'values' && !ofProducts.has(key.name) && !ofAnyName.test(key.name) ? key.name : [],
  )
  if (!names.length) return
  const rows = await store.read(
    `SELECT name FROM unnest($3::text[]) name WHERE EXISTS (
       SELECT FROM published_values v WHERE v.store_id = $1 AND v.catalog_id = $2 AND v.field = name)
     OR EXISTS (
       SELECT FROM flow_fields f JOIN flows w ON w.store_id = f.store_id AND w.id = f.flow_id
       WHERE f.store_id = $1 AND name = 'extensions.' || w.slug || '.' || f.slug)`,
    catalogId,
    names,
  )
  const known = new Set(rows.map(([name]) => name))
  const unknown = fields.find(
    ({ key }) => key.in === 'values' && names.includes(key.name) && !known.has(key.name),
  )
  if (unknown) throw refuse(unknown)
}

const refuse = ({ i, field }: { readonly i: number; readonly field: string }) =>
  new Problem(
    'bad_request',
    `Invalid sort field specified. No product can be sorted by ${JSON.stringify(field.slice(0, 40))}: use name, sku, ` +
      'slug, created_at, updated_at, price.float_price, _text_match, or an attribute of products or of a template, such ' +
      'as extensions.products(size).width.',
    { title: 'Invalid Sort', source: `searches[${i}].sort_by` },
  )

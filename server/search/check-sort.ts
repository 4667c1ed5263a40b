import { Problem } from '../kernel/errors.ts'
import type { Ctx } from '../kernel/work/context.ts'
import type { Shop } from './field-values.ts'
import type { Search } from './read-searches.ts'
import { sortField } from './search-fields.ts'

/** Groups of fields whose names merchants choose. They are known also while no product has a value. */
const ownGroups = ['extensions.', 'shopper_attributes.', 'categories.']

/** Refuses (400) a field to sort by that is not one of products, and that no product of the catalog has a value of. */
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
    key.in === 'values' && !ownGroups.some((group) => key.name.startsWith(group)) ? key.name : [],
  )
  if (!names.length) return
  const rows = await store.read(
    `SELECT name FROM unnest($3::text[]) name WHERE EXISTS (
       SELECT FROM published_values v WHERE v.store_id = $1 AND v.catalog_id = $2 AND v.field = name)`,
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
      'slug, created_at, updated_at, price.float_price, _text_match or an attribute that products have.',
    { title: 'Invalid Sort', source: `searches[${i}].sort_by` },
  )

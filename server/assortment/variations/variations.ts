import { resource } from '../../kernel/declare/resource.ts'
import { Problem } from '../../kernel/errors.ts'
import { field, list } from '../../kernel/shape/fields.ts'
import { type Row, walks } from '../../kernel/shape/model.ts'
import { optional, type ShownValue, shown } from '../../kernel/shape/shown.ts'
import type { Work } from '../../kernel/work/context.ts'
import { ownerMeta } from '../../store/index.ts'
import { products } from '../products/products.ts'
import { clearSortOrder, nameField, sortOrder, variationEnvelope } from './variation-fields.ts'

/** An option, as its variation shows it. */
const option = shown.group({
  id: shown.uuid,
  name: shown.text,
  description: optional(shown.text),
  sort_order: optional(shown.integer),
  created_at: shown.time,
  updated_at: shown.time,
})

export const variations = resource({
  type: 'product-variation',
  noun: ['product-variation', 'product-variations'],
  about:
    'A property in which the children of a product differ, such as size or colour. A variation has options, and many products can share it.',
  path: '/pcm/variations',
  table: 'product_variations',
  fields: {
    name: nameField('Shown to shoppers.', 'Size'),
    sort_order: sortOrder,
    // Written by the options, see options.ts.
    options: field<readonly ShownValue<typeof option>[] | undefined>(
      { type: 'array' },
      { hidden: true, readOnly: true },
    ),
  },
  filter: walks,
  sort: ['created_at', 'id', 'updated_at'],
  area: 'variations',
  envelope: variationEnvelope,
  refusedWith: 422,
  meta: {
    fields: {
      ...ownerMeta.fields,
      options: list(option, { about: 'The options, in their order.' }),
    },
    of: ({ hidden }) => ({ ...ownerMeta.of(), options: hidden.options ?? [] }),
  },
  beforeWrite: (_work, draft) => clearSortOrder(draft),
  beforeDelete: refuseInUse,
})

/** Linking locks the variation too, so it is either linked or deleted. */
async function refuseInUse({ store }: Work, { id }: Row): Promise<void> {
  await store.lockExclusive(variations, id)
  const [linked] = await store.run(
    `SELECT 1 FROM ${products.table} WHERE store_id = $1 AND variations @> $2::jsonb LIMIT 1`,
    JSON.stringify([{ id }]),
  )
  if (!linked) return
  throw new Problem('unprocessable', 'One or more variations are currently in use', {
    title: 'Failed Validation',
  })
}

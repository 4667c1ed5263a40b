import { resource } from '../../kernel/declare/resource.ts'
import { Problem } from '../../kernel/errors.ts'
import { object, uuid } from '../../kernel/openapi/shapes.ts'
import { field, list } from '../../kernel/shape/fields.ts'
import { type Row, walks } from '../../kernel/shape/model.ts'
import type { Work } from '../../kernel/work/context.ts'
import { ownerMeta } from '../../store/index.ts'
import { products } from '../products/products.ts'
import { clearSortOrder, nameField, sortOrder, variationEnvelope } from './variation-fields.ts'

/** An option, as its variation shows it. */
const optionSchema = object(
  {
    id: uuid,
    name: { type: 'string' },
    description: { type: 'string' },
    sort_order: { type: 'integer' },
    created_at: { type: 'string', format: 'date-time' },
    updated_at: { type: 'string', format: 'date-time' },
  },
  ['id', 'name', 'created_at', 'updated_at'],
)

interface OptionOfVariation {
  readonly id: string
  readonly name: string
  readonly description?: string
  readonly sort_order?: number
  readonly created_at: string
  readonly updated_at: string
}

/** A property in which the children of a product differ, such as size or colour. */
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
    options: field<readonly OptionOfVariation[] | undefined>(
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
      options: list(field<OptionOfVariation>(optionSchema, {}), { about: 'The options, in their order.' }),
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

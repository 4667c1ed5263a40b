import { resource } from '../../kernel/declare/resource.ts'
import { text } from '../../kernel/shape/fields.ts'
import { type Draft, type Row, walks } from '../../kernel/shape/model.ts'
import { isoTime } from '../../kernel/storage/expressions.ts'
import type { Work } from '../../kernel/work/context.ts'
import { ownerMeta } from '../../store/index.ts'
import { clearSortOrder, nameField, sortOrder, variationEnvelope } from './variation-fields.ts'
import { variations } from './variations.ts'

export const options = resource({
  type: 'product-variation-option',
  noun: ['product-variation-option', 'product-variation-options'],
  about: 'One of the choices of a variation, such as small or red.',
  path: '/pcm/variations/:variation_id/options',
  parent: () => variations,
  table: 'product_variation_options',
  fields: {
    name: nameField(
      'Shown to shoppers. Unless modifiers say otherwise, the SKUs and slugs of children end in it; then it must contain only letters, digits, hyphens, underscores and full stops.',
      'Small',
    ),
    description: text({ nullable: true, about: 'Shown to shoppers.', example: 'Up to 36' }),
    sort_order: sortOrder,
  },
  filter: walks,
  sort: ['created_at', 'id', 'updated_at'],
  area: 'variations',
  envelope: variationEnvelope,
  refusedWith: 422,
  most: { n: 1000, detail: (n) => `A variation can have at most ${n} options.` },
  meta: ownerMeta,
  beforeWrite: async ({ store }, draft) => {
    clearSortOrder(draft)
    // The variation stores its options, so requests change them one after another.
    if (draft.before) await store.lock(variations, variationOf(draft))
  },
  afterWrite: showOptions,
  beforeDelete: async ({ store }, row) => void (await store.lock(variations, variationOf(row))),
  afterDelete: showOptions,
})

const variationOf = ({ scope }: Pick<Row | Draft, 'scope'>): string => scope[0] ?? ''

const time = (column: string) => isoTime(`o.${column}`)

/** Stores the options in their variation, in their order. The variation gets a new version when they change. */
async function showOptions({ store }: Work, row: Row): Promise<void> {
  await store.changeAll(variations, {
    where: (bind) => `r.id = ${bind(variationOf(row))}`,
    from: (bind) => `(
      SELECT json_build_object('options',
        coalesce(json_agg(json_strip_nulls(json_build_object('id', o.id, 'name', o.doc->'attributes'->'name',
          'description', o.doc->'attributes'->'description', 'sort_order', o.doc->'attributes'->'sort_order',
          'created_at', ${time('created_at')}, 'updated_at', ${time('updated_at')})) ORDER BY ${optionOrder}), '[]')) AS hidden
      FROM ${options.table} o WHERE o.store_id = $1 AND o.variation_id = ${bind(variationOf(row))}) shown`,
    hidden: () => 'shown.hidden',
  })
}

/** The highest sort order first, then options without one, by name. */
const optionOrder = `(o.doc->'attributes'->>'sort_order')::bigint DESC NULLS LAST, o.doc->'attributes'->>'name' COLLATE "C", o.id`

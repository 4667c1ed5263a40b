import { resource } from '../../kernel/declare/resource.ts'
import { Problem } from '../../kernel/errors.ts'
import { choice, text } from '../../kernel/shape/fields.ts'
import { type Draft, type Row, walks } from '../../kernel/shape/model.ts'
import type { Work } from '../../kernel/work/context.ts'
import { products } from '../products/products.ts'
import { modifierTypes } from './modifier-types.ts'
import { mustSuit } from './modifier-values.ts'
import { options } from './options.ts'
import { ownerMeta, variationEnvelope } from './variation-fields.ts'

const fields = {
  type: choice(modifierTypes, {
    required: true,
    about:
      'The type: what the modifier changes in a child that has the option, and how. An option has at most one modifier of each type.',
    example: 'sku_append',
  }),
  value: text({
    nullable: true,
    about: 'The value to set, prepend or append. Builders and price modifiers have none.',
    example: '-SMALL',
  }),
  seek: text({
    nullable: true,
    max: 255,
    about: 'Builders only: the text to find in the value of the parent.',
  }),
  set: text({ nullable: true, max: 255, about: 'Builders only: the replacement.' }),
  reference_name: text({
    nullable: true,
    max: 255,
    about: 'Price modifiers only: the name of the modifier in the price book.',
  }),
}

export type ModifierFields = typeof fields

/** A modifier changes one field of the children that have an option. */
export const modifiers = resource({
  type: 'product-variation-modifier',
  // Some documents of the public contract use this name.
  alsoType: ['modifier'],
  noun: ['product-variation-modifier', 'product-variation-modifiers'],
  about: 'A change to the children that have the option.',
  path: '/pcm/variations/:variation_id/options/:option_id/modifiers',
  parent: () => options,
  table: 'product_variation_modifiers',
  fields,
  filter: walks,
  sort: ['created_at', 'id', 'updated_at'],
  area: 'variations',
  envelope: { ...variationEnvelope, type: 'attributes' },
  refusedWith: 422,
  meta: ownerMeta,
  beforeWrite: (_work, { values }: Draft<ModifierFields>) => mustSuit(values),
  beforeDelete: refuseInUse,
  constraints: {
    product_variation_modifiers_type_key: {
      code: 'unprocessable',
      detail: 'The option already has a modifier of this type, and can have only one of each.',
      source: 'data.attributes.type',
    },
  },
})

/** A modifier is in use if a child was built from its option. */
async function refuseInUse({ store }: Work, { scope: [variation, option] }: Row): Promise<void> {
  const [child] = await store.run(
    `SELECT 1 FROM ${products.table} p JOIN ${products.table} c ON c.store_id = p.store_id AND c.parent_id = p.id
     WHERE p.store_id = $1 AND p.variations @> $2::jsonb
       AND (c.hidden->'child_variations')::jsonb @> $3::jsonb LIMIT 1`,
    JSON.stringify([{ id: variation }]),
    JSON.stringify([{ option: { id: option } }]),
  )
  if (!child) return
  throw new Problem('unprocessable', 'One or more modifiers are currently in use', {
    title: 'Failed Validation',
  })
}

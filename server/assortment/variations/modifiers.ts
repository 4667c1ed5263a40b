import { checker } from '../../kernel/body/checker.ts'
import { resource } from '../../kernel/declare/resource.ts'
import { Problem } from '../../kernel/errors.ts'
import { choice, text, type Values } from '../../kernel/shape/fields.ts'
import { type Draft, type Row, walks } from '../../kernel/shape/model.ts'
import type { Work } from '../../kernel/work/context.ts'
import { ownerMeta } from '../../store/index.ts'
import { products } from '../products/products.ts'
import { inJson, modifierTypes, partsOf } from './modifier-types.ts'
import { options } from './options.ts'
import { variationEnvelope } from './variation-fields.ts'

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

type ModifierFields = typeof fields

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

type ModifierValues = Values<ModifierFields>
type Member = 'value' | 'seek' | 'set' | 'reference_name'

/** Refuses values that do not suit the type of the modifier, and drops members that the type does not use. */
function mustSuit(values: ModifierValues): void {
  const { field, operation } = partsOf(values.type)
  const members = membersOf(operation)
  for (const member of ['value', 'seek', 'set', 'reference_name'] as const) {
    if (!members.includes(member)) delete values[member]
    else if (!values[member])
      throw refusal(member, `${member} can not be empty: a modifier of the type ${values.type} needs it`)
  }
  if (field === 'slug') mustSuitUrl(values, members)
  else if (operation === 'equals') mustSuitField(values, field)
}

function membersOf(operation: string): readonly Member[] {
  if (operation === 'builder') return ['seek', 'set']
  return operation === 'refer' ? ['reference_name'] : ['value']
}

const refusal = (member: Member, detail: string) =>
  new Problem('unprocessable', detail, { source: `data.attributes.${member}`, title: 'Failed Validation' })

/** Braces mark the placeholders of a slug. */
function mustSuitUrl(values: ModifierValues, members: readonly Member[]): void {
  for (const member of members) {
    const allowed = member === 'seek' ? /^[A-Za-z0-9._{}-]+$/ : /^[A-Za-z0-9._-]+$/
    if (allowed.test(values[member] ?? '')) continue
    const type = `the ${member} of a modifier of the type ${values.type}`
    throw refusal(member, `${type} must contain only letters, digits, hyphens, underscores and full stops`)
  }
}

/** A modifier sets only values that the field of a product accepts. */
function mustSuitField({ type, value }: ModifierValues, field: string): void {
  const schema = products.fields[field as keyof typeof products.fields]?.schema
  if (!schema) return
  try {
    checker(schema, 'data.attributes.value')(inJson.includes(field) ? JSON.parse(value ?? '') : value)
  } catch (error) {
    const reason = error instanceof Problem ? error.detail : `${field} must be JSON.`
    throw refusal('value', `of the type ${type}: ${reason}`)
  }
}

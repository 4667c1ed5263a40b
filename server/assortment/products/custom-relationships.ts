import { resource } from '../../kernel/declare/resource.ts'
import { Problem } from '../../kernel/errors.ts'
import { flag, integer, text } from '../../kernel/shape/fields.ts'
import { type Draft, indexed, walks } from '../../kernel/shape/model.ts'
import type { Work } from '../../kernel/work/context.ts'
import { ownerMeta } from '../../store/index.ts'
import { productEnvelope } from '../product-fields/product-envelope.ts'

const prefix = 'CRP_'
const slugMax = 255

const fields = {
  name: text({
    required: true,
    min: 1,
    max: 1024,
    about: 'The name, for people.',
    example: 'Goes well with',
  }),
  slug: text({
    required: true,
    min: 1,
    max: slugMax,
    pattern: /^[A-Za-z0-9._-]+$/,
    about:
      `Unique in the store. The prefix ${prefix} is added if it is missing, and counts as part of the ${slugMax} characters. ` +
      'The slug cannot be changed.',
  }),
  description: text({ nullable: true, about: 'The purpose of the relationship.' }),
  sort_order: integer({
    nullable: true,
    about: 'The position in a storefront: the lowest number comes first.',
  }),
  external_name: text({ nullable: true, max: 1024, about: 'Shown to shoppers instead of the name.' }),
  external_description: text({ nullable: true, about: 'Shown to shoppers instead of the description.' }),
  bi_directional: flag({ default: false, about: 'Whether associations work in both directions.' }),
}

export type CustomRelationshipFields = typeof fields

export const customRelationships = resource({
  type: 'custom-relationship',
  noun: ['custom-relationship', 'custom-relationships'],
  about: 'A kind of link between products, defined by the store, such as "goes well with".',
  path: '/pcm/custom-relationships',
  table: 'custom_relationships',
  fields,
  filter: {
    ...walks,
    slug: indexed('eq'),
    // A store has only relationships of its own.
    owner: { ops: ['eq'], type: 'text', column: `'store'::text` },
  },
  sort: ['created_at', 'id', 'updated_at'],
  area: 'products',
  envelope: { ...productEnvelope, times: 'meta.timestamps' },
  refusedWith: 422,
  key: { field: 'slug' },
  meta: ownerMeta,
  beforeWrite: completeRelationship,
  constraints: {
    custom_relationships_slug_key: {
      code: 'unprocessable',
      detail: 'data.attributes.slug: Must be unique amongst custom relationships.',
      source: 'data.attributes.slug',
    },
    product_custom_relationships_id_fkey: {
      code: 'unprocessable',
      detail: 'The custom relationship is in use. Detach it from all products first.',
    },
  },
})

async function completeRelationship(
  work: Work,
  { id, values, before }: Draft<CustomRelationshipFields>,
): Promise<void> {
  if (!values.slug.startsWith(prefix)) values.slug = prefix + values.slug
  if (!before) return mustBeShort(values.slug)
  if (values.slug !== before.doc.slug) throw immutable('slug', 'once it is set')
  if (values.bi_directional === before.doc.bi_directional) return
  // Attaching locks it against deletion: see attached-custom-relationships.ts.
  await work.store.lockExclusive(customRelationships, id)
  const used = await work.store.read(
    'SELECT 1 FROM product_custom_relationships WHERE store_id = $1 AND id = $2 LIMIT 1',
    id,
  )
  if (used.length) throw immutable('bi_directional', 'while products have it')
}

function mustBeShort(slug: string): void {
  if (slug.length <= slugMax) return
  const source = 'data.attributes.slug'
  const detail = `${source} must have at most ${slugMax} characters with the prefix ${prefix}, not ${slug.length}.`
  throw new Problem('unprocessable', detail, { source })
}

function immutable(name: string, when: string): Problem {
  const source = `data.attributes.${name}`
  return new Problem('unprocessable', `${source} is immutable: it cannot be changed ${when}.`, { source })
}

import { resource } from '../../kernel/declare/resource.ts'
import { text } from '../../kernel/shape/fields.ts'
import { indexed, walks } from '../../kernel/shape/model.ts'
import { ownerMeta } from '../../store/index.ts'
import { productEnvelope } from '../product-fields/product-envelope.ts'

export const tags = resource({
  type: 'tag',
  noun: ['tag', 'tags'],
  about: 'A tag of at least one product. It exists while a product has it.',
  path: '/pcm/tags',
  table: 'tags',
  fields: {
    value: text({
      required: true,
      readOnly: true,
      max: 255,
      about: 'The tag, in lower case.',
      example: 'rye',
    }),
  },
  filter: { ...walks, value: indexed('eq', 'like') },
  sort: ['created_at', 'id', 'updated_at', 'value'],
  whole: true,
  area: 'products',
  operations: ['list', 'get'],
  envelope: productEnvelope,
  meta: ownerMeta,
})

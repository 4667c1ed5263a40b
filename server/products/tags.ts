import { resource } from '../kernel/declare/resource.ts'
import { choice, text } from '../kernel/shape/fields.ts'
import { indexed, walks } from '../kernel/shape/model.ts'
import { productEnvelope } from './envelope.ts'

/** A tag that some product has: it comes with the first that has it, and goes with the last. */
export const tags = resource({
  type: 'tag',
  noun: ['tag', 'tags'],
  about: 'A tag that some product has: it comes with the first that has it, and goes with the last.',
  path: '/pcm/tags',
  table: 'tags',
  fields: {
    value: text({ required: true, readOnly: true, max: 255, about: 'In small letters.', example: 'rye' }),
  },
  filter: { ...walks, value: indexed('eq', 'like') },
  sort: ['created_at', 'id', 'updated_at', 'value'],
  whole: true,
  area: 'products',
  operations: ['list', 'get'],
  envelope: productEnvelope,
  meta: {
    fields: { owner: choice(['store', 'organization'], { about: 'Whose it is.' }) },
    of: () => ({ owner: 'store' as const }),
  },
})

import { named } from '../../kernel/openapi/named-schemas.ts'
import type { JsonSchema } from '../../kernel/shape/fields.ts'
import { entryMetaSchema } from './entries.ts'

/** The schemas of entries of any custom API. The document of a store has the fields of each. */

const values = { description: 'The fields of the custom API, by slug.' }
const type = { type: 'string', description: 'The api_type of the custom API.' }

export const entrySchema = named('CustomEntry', {
  type: 'object',
  required: ['type', 'id', 'meta', 'links'],
  properties: {
    type,
    id: { type: 'string', format: 'uuid' },
    meta: entryMetaSchema,
    links: { type: 'object', required: ['self'], properties: { self: { type: 'string' } } },
  },
  additionalProperties: values,
})

const sentSchema = named('NewCustomEntry', {
  type: 'object',
  required: ['type'],
  properties: { type },
  additionalProperties: values,
})

/** For the API document: the body of a request that sends an entry. */
export const entryBody: Readonly<Record<string, JsonSchema>> = {
  'application/json': { type: 'object', required: ['data'], properties: { data: sentSchema } },
}

export const entryEnvelope: JsonSchema = {
  type: 'object',
  required: ['data'],
  properties: { data: entrySchema },
}

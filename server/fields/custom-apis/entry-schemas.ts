import { named, namedSchema } from '../../kernel/openapi/named-schemas.ts'
import type { JsonSchema } from '../../kernel/shape/fields.ts'
import { shown } from '../../kernel/shape/shown.ts'
import { entryMetaSchema } from './entries.ts'

/** The schemas of entries of any custom API. The document of a store has the fields of each. */

const values = { description: 'The fields of the custom API, by slug.' }
const type = { type: 'string', description: 'The api_type of the custom API.' }

const members = shown.group({
  type: shown.as(type),
  id: shown.uuid,
  meta: shown.as(entryMetaSchema),
  links: shown.group({ self: shown.text }),
})

export const customEntry = named('CustomEntry', shown.as({ ...members.schema, additionalProperties: values }))

const sentSchema = namedSchema('NewCustomEntry', {
  type: 'object',
  required: ['type'],
  properties: { type },
  additionalProperties: values,
})

/** For the API document: the body of a request that sends an entry. */
export const entryBody: Readonly<Record<string, JsonSchema>> = {
  'application/json': { type: 'object', required: ['data'], properties: { data: sentSchema } },
}

export const entryEnvelope = shown.group({ data: customEntry })

import type { JsonSchema } from '../shape/fields.ts'
import { listOf, object } from '../shape/schemas.ts'

export { listOf, object }

export const uuid: JsonSchema = { type: 'string', format: 'uuid' }

/** The schema of a link: an object with a type and an id. */
export const linkTo = (...types: readonly string[]): JsonSchema =>
  object({ id: uuid, type: types.length === 1 ? { const: types[0] } : { enum: types } })

/** The schema of a relationship with this `data`. */
export const relationshipTo = (data: JsonSchema): JsonSchema => object({ data })

/** A relationship with a list of its own: its `data` is always empty. */
export const emptyRelationship = (...names: readonly string[]): JsonSchema =>
  object({
    data: { type: 'array', items: { type: 'object', properties: {} }, maxItems: 0 },
    links: object(Object.fromEntries(names.map((name) => [name, { type: 'string' }]))),
  })

/** The schema of a response that is itself an OpenAPI document. */
export const openApiDocument: JsonSchema = {
  type: 'object',
  required: ['openapi', 'info', 'paths'],
  properties: {
    openapi: { type: 'string' },
    info: { type: 'object', additionalProperties: true },
    paths: { type: 'object', additionalProperties: true },
  },
  additionalProperties: true,
}

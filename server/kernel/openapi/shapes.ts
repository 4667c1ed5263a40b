import type { JsonSchema } from '../shape/fields.ts'

type Members = Readonly<Record<string, unknown>>

/** The schema of an object with these members, all of which are there unless `required` says which are. */
export const object = (
  properties: Members,
  required: readonly string[] = Object.keys(properties),
): JsonSchema => ({
  type: 'object',
  required,
  properties,
})

export const listOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items })

export const uuid: JsonSchema = { type: 'string', format: 'uuid' }

/** An object by its id, as `data` of a relationship. */
export const linkTo = (...types: readonly string[]): JsonSchema =>
  object({ id: uuid, type: types.length === 1 ? { const: types[0] } : { enum: types } })

/** A relationship whose `data` is this. */
export const relationshipTo = (data: JsonSchema): JsonSchema => object({ data })

/** A relationship that is listed elsewhere: its `data` is always empty. */
export const emptyRelationship = (...names: readonly string[]): JsonSchema =>
  object({
    data: { type: 'array', items: { type: 'object', properties: {} }, maxItems: 0 },
    links: object(Object.fromEntries(names.map((name) => [name, { type: 'string' }]))),
  })

/** An answer that is an OpenAPI document itself. */
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

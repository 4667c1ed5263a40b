import type { JsonSchema } from './fields.ts'

type Members = Readonly<Record<string, unknown>>

/** The schema of an object with these members. All of them are required, unless `required` lists some. */
export const object = (
  properties: Members,
  required: readonly string[] = Object.keys(properties),
): JsonSchema => ({
  type: 'object',
  required,
  properties,
})

export const listOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items })

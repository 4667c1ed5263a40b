import type { JsonSchema } from './fields.ts'

/** The schema of an object with these members. All of them are required, unless `required` lists some. */
export const object = (
  properties: Readonly<Record<string, unknown>>,
  required: readonly string[] = Object.keys(properties),
): JsonSchema => ({
  type: 'object',
  required,
  properties,
})

export const listOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items })

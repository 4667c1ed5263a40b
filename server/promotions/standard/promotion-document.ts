import type { JsonSchema } from '../../kernel/shape/fields.ts'

/** How long the rules of a promotion may be, in characters of JSON. */
export const charactersMax = 65_536

/** The schema of an object in the rules of a promotion. Most members of these are optional. */
export const object = (properties: Readonly<Record<string, JsonSchema>>, ...required: readonly string[]) => ({
  ...{ type: 'object', properties },
  ...(required.length && { required }),
})

import { isDeepStrictEqual } from 'node:util'
import type { JsonSchema } from '../shape/fields.ts'

type Content = Readonly<Record<string, { readonly schema: JsonSchema; readonly example?: unknown }>>

interface Media {
  readonly description?: string
  readonly $ref?: string
  readonly content?: Content
}

type Responses = Readonly<Record<string, unknown>>

/** A schema that accepts what either accepts. */
const either = (one: JsonSchema, other: JsonSchema): JsonSchema =>
  isDeepStrictEqual(one, other) ? one : { anyOf: [one, other] }

function eitherContent(one: Media, other: Media): Media {
  const schemas = Object.entries(one.content ?? {}).map(([type, media]) => {
    const more = other.content?.[type]
    return [type, more ? { ...media, schema: either(media.schema, more.schema) } : media] as const
  })
  return { ...one, content: { ...other.content, ...Object.fromEntries(schemas) } }
}

/** The request body of an operation with two variants. */
export const eitherBody = <B extends object | undefined>(one: B, other: B): B =>
  one && other ? (eitherContent(one as Media, other as Media) as B) : (one ?? other)

/** The responses of an operation with two variants. */
export function eitherResponses(one: Responses, other: Responses): Responses {
  const merged = Object.entries(one).map(([status, response]) => {
    const more = other[status] as Media | undefined
    const own = response as Media
    return [status, more && !own.$ref && own.content ? eitherContent(own, more) : own] as const
  })
  return { ...other, ...Object.fromEntries(merged) }
}

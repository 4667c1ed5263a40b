import { type Envelope, schemaAt } from '../shape/envelope.ts'
import { describe, type Field, type Fields, isShown, type JsonSchema, nullable } from '../shape/fields.ts'
import { listOf, object } from '../shape/schemas.ts'
import type { Resource } from './resource.ts'

export const describeFields = (fields: readonly (readonly [name: string, field: Field])[]) =>
  Object.fromEntries(fields.map(([name, field]) => [name, describe(field)]))

const time = { type: 'string', format: 'date-time' }
const times = { created_at: time, updated_at: time }

/**
 * The fields as responses show them. For added fields only the type is certain: older objects may break newer rules, or
 * lack a value.
 */
function shownFields({ fields, added, addedUnder }: Resource): Fields {
  const older = (added?.fields ?? []).flatMap(({ name }) => {
    const field = fields[name]
    if (!field || field.options.readOnly) return []
    const { required: _, ...options } = field.options
    return [[name, { ...field, options, schema: nullable({ type: field.schema.type }) }] as const]
  })
  return withAddedLinks({ ...fields, ...Object.fromEntries(older) }, addedUnder)
}

/** The fields, with the links that a store may add among the `relationships`. */
function withAddedLinks(fields: Fields, addedUnder: Resource['addedUnder']): Fields {
  const { relationships } = fields
  if (!addedUnder || !relationships) return fields
  const schema = { additionalProperties: addedLinksBeside(relationships.schema), ...relationships.schema }
  return { ...fields, relationships: { ...relationships, schema } }
}

const link = object({ id: { type: 'string' }, type: { type: 'string' } })

/** Links that a store adds, by the names of their fields. */
const addedLinks: JsonSchema = {
  type: 'object',
  properties: { data: { anyOf: [link, listOf(link), { type: 'null' }] } },
}

/** A type of the free keys of an object must fit its members too, which no generator of code can say of links. */
const addedLinksBeside = ({ properties }: JsonSchema): JsonSchema =>
  properties ? { description: 'Links that the store adds, by the names of their fields.' } : addedLinks

/** The schema of an object in a response. */
export function shownSchema(resource: Resource): JsonSchema {
  const { type, about, shownWith, envelope, also } = resource
  const shown = Object.entries({ ...shownFields(resource), ...shownWith?.fields }).filter(([, { options }]) =>
    isShown(options),
  )
  const meta = metaSchema(resource)
  const members = { ...(envelope.times === 'fields' && times), ...describeFields(shown) }
  const { properties } = schemaAt(envelope, { const: type }, members)
  const { type: typeSchema, ...others } = properties as Record<string, JsonSchema>
  const schema = object({
    type: typeSchema,
    id: { type: 'string', format: 'uuid' },
    ...others,
    ...describeFields(Object.entries(withAddedLinks(also?.fields ?? {}, resource.addedUnder))),
    ...(meta && { meta }),
    ...(!['none', 'single'].includes(envelope.links) && { links: urlsSchema(resource) }),
  })
  return { description: about, ...schema, required: ['type', 'id', ...(meta ? ['meta'] : [])] }
}

interface MetaOwner {
  readonly envelope: Envelope
  readonly meta?: { readonly fields: Fields }
}

/** The schema of `meta` of an object; undefined if it has none. */
export function metaSchema({ envelope, meta }: MetaOwner): JsonSchema | undefined {
  const own = Object.entries(meta?.fields ?? {})
  const always = Object.keys(times)
  if (envelope.times === 'meta') return object({ ...times, ...describeFields(own) }, always)
  if (envelope.times !== 'meta.timestamps') return own.length ? object(describeFields(own), []) : undefined
  const isTime = ([, { schema }]: [string, Field]) => schema.format === 'date-time'
  const timestamps = object({ ...times, ...describeFields(own.filter(isTime)) }, always)
  const others = describeFields(own.filter((one) => !isTime(one)))
  return object({ timestamps, ...others }, ['timestamps'])
}

export function urlsSchema({ links, envelope }: Resource): JsonSchema {
  const declared = describeFields(Object.entries(links?.fields ?? {}))
  return envelope.links === 'own'
    ? object(declared, [])
    : object({ self: { type: 'string' }, ...declared }, ['self'])
}

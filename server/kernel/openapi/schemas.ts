import { type BodyShape, dataSchema, writable } from '../body/input.ts'
import type { KindsBody } from '../body/kinds.ts'
import type { Operation } from '../declare/operation.ts'
import { linksSchema, newLinksField, type Relationship } from '../declare/relationship.ts'
import type { Resource } from '../declare/resource.ts'
import { bytesShown } from '../http/problems.ts'
import { type Envelope, place, schemaAt } from '../shape/envelope.ts'
import { describe, type Field, type Fields, isShown, type JsonSchema, nullable } from '../shape/fields.ts'
import type { Named } from './components.ts'
import { kindsSchema } from './kinds.ts'
import { listOf, object } from './shapes.ts'

export const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` })
export const content = (schema: JsonSchema, example?: unknown) => ({
  'application/json': { schema, ...(example !== undefined && { example }) },
})

/** The content of a file. */
export const bytes: JsonSchema = { type: 'string', format: 'binary' }

export const documented = (fields: readonly (readonly [name: string, field: Field])[]) =>
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
  const { relationships } = fields
  const links =
    addedUnder && relationships
      ? {
          relationships: {
            ...relationships,
            schema: { additionalProperties: addedLinks, ...relationships.schema },
          },
        }
      : {}
  return { ...fields, ...Object.fromEntries(older), ...links }
}

const link = object({ id: { type: 'string' }, type: { type: 'string' } })

/** Links that a store adds, by the names of their fields. */
const addedLinks: JsonSchema = {
  type: 'object',
  properties: { data: { anyOf: [link, listOf(link), { type: 'null' }] } },
}

/** The schema of an object in a response. */
export function shownSchema(resource: Resource): JsonSchema {
  const { type, about, shownWith, envelope, also } = resource
  const shown = Object.entries({ ...shownFields(resource), ...shownWith?.fields }).filter(([, { options }]) =>
    isShown(options),
  )
  const meta = metaSchema(resource)
  const members = { ...(envelope.times === 'fields' && times), ...documented(shown) }
  const { properties } = schemaAt(envelope, { const: type }, members)
  const { type: typeSchema, ...others } = properties as Record<string, JsonSchema>
  const schema = object({
    type: typeSchema,
    id: { type: 'string', format: 'uuid' },
    ...others,
    ...documented(Object.entries(also?.fields ?? {})),
    ...(meta && { meta }),
    ...(!['none', 'single'].includes(envelope.links) && { links: urlsSchema(resource) }),
  })
  return { description: about, ...schema, required: ['type', 'id', ...(meta ? ['meta'] : [])] }
}

interface Shown {
  readonly envelope: Envelope
  readonly meta?: { readonly fields: Fields }
}

/** The schema of `meta` of an object; undefined if it has none. */
export function metaSchema({ envelope, meta }: Shown): JsonSchema | undefined {
  const own = Object.entries(meta?.fields ?? {})
  const always = Object.keys(times)
  if (envelope.times === 'meta') return object({ ...times, ...documented(own) }, always)
  if (envelope.times !== 'meta.timestamps') return own.length ? object(documented(own), []) : undefined
  const isTime = ([, { schema }]: [string, Field]) => schema.format === 'date-time'
  const timestamps = object({ ...times, ...documented(own.filter(isTime)) }, always)
  const others = documented(own.filter((one) => !isTime(one)))
  return object({ timestamps, ...others }, ['timestamps'])
}

export function urlsSchema({ links, envelope }: Resource): JsonSchema {
  const declared = documented(Object.entries(links?.fields ?? {}))
  return envelope.links === 'own'
    ? object(declared, [])
    : object({ self: { type: 'string' }, ...declared }, ['self'])
}

/** The schema of `data` in a create. `links`: the relationships whose links the create accepts. */
export const newSchema = (resource: Resource, links: readonly Relationship[] = []): JsonSchema => {
  if (!links.length) return dataSchema(resource, false)
  const linksField = newLinksField(links)
  const relationships = { ...linksField, options: { ...linksField.options, inputName: 'relationships' } }
  return dataSchema({ ...resource, fields: { ...resource.fields, relationships } }, false)
}
export const changesSchema = (resource: Resource): JsonSchema => dataSchema(resource, true)

/**
 * An accepted body, from the examples and defaults of the fields. For an update: the fields with an example that may
 * change.
 */
function exampleOf({ type, fields, envelope }: BodyShape, update: boolean): { data: object } | undefined {
  const all = writable(fields).map(([name, { options }]) => [name, options] as const)
  const shown = update ? all.filter(([, { immutable }]) => !immutable) : all
  const sampleOf = ({ example, default: fallback }: Field['options']) =>
    example ?? (update ? undefined : fallback)
  // An update must repeat each object's own value, which no example can know.
  if (update && all.some(([, { immutable, requiredOnUpdate }]) => immutable && requiredOnUpdate))
    return undefined
  if (!update && shown.some(([, options]) => options.required && sampleOf(options) === undefined))
    return undefined
  const values = Object.fromEntries(shown.map(([name, options]) => [name, sampleOf(options)]))
  return { data: { type, ...place(envelope, values) } }
}

/** The same for a body with kinds: one object of the first kind with enough examples. */
function exampleOfKinds({ by, of }: KindsBody): unknown {
  for (const [kind, { fields }] of Object.entries(of)) {
    const example = exampleOf({ type: kind, fields }, false)
    if (!example) continue
    const { type: _, ...values } = example.data as Readonly<Record<string, unknown>>
    return { data: { [by]: kind, ...values } }
  }
  return undefined
}

/** The request body of an operation that has one. */
export function bodyOf(operation: Operation, { nameOf }: Named): Record<string, unknown> | undefined {
  const { of } = operation
  if (of.is === 'resource') {
    if (of.name !== 'create' && of.name !== 'update') return undefined
    const update = of.name === 'update'
    const name = nameOf(of.resource)
    const data = ref(update ? `${name}Changes` : `New${name}`)
    return { required: true, content: content(object({ data }), exampleOf(of.resource, update)) }
  }
  if (of.is === 'singleton') {
    if (of.name !== 'update') return undefined
    const data = dataSchema(of.singleton, true)
    return { required: true, content: content(object({ data }), exampleOf(of.singleton, true)) }
  }
  if (of.is === 'relationship') {
    if (of.name === 'list') return undefined
    // If there is only one link, the body need not name it.
    const optional = of.name === 'remove' && of.relationship.holds === 'one'
    const schema = object({ data: linksSchema(of.relationship) })
    return { ...(!optional && { required: true }), content: content(schema) }
  }
  const { body, besideData = {}, data, kinds, rawBody, rawBodies, upload } = of.action
  if (upload) {
    const { form } = upload
    const description = `At most ${bytesShown(upload.bytesMax)}${form ? ', including the multipart envelope' : ''}.`
    if (!form) return { required: true, description, content: { '*/*': { schema: bytes } } }
    const required = Object.keys(form).filter((name) => form[name]?.options.required)
    const schema = object(documented(Object.entries(form)), required)
    return { required: true, description, content: { 'multipart/form-data': { schema } } }
  }
  if (data) return { required: true, content: content(object({ data: describe(data) })) }
  if (kinds)
    return { required: true, content: content(object({ data: kindsSchema(kinds) }), exampleOfKinds(kinds)) }
  if (body)
    return {
      ...(!body.optional && { required: true }),
      content: content(
        object(
          { data: dataSchema(body, false), ...documented(Object.entries(besideData)) },
          body.optional ? [] : ['data'],
        ),
        exampleOf(body, false),
      ),
    }
  if (rawBodies) {
    const content = Object.entries(rawBodies).map(([type, schema]) => [type, { schema }])
    // The body of a DELETE is optional.
    return {
      ...(operation.method !== 'DELETE' && { required: true }),
      content: Object.fromEntries(content),
    }
  }
  return rawBody ? { content: { '*/*': { schema: bytes } } } : undefined
}

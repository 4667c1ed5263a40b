import { type BodyShape, dataSchema, writable } from '../body/input.ts'
import type { KindsBody } from '../body/kinds.ts'
import type { Operation } from '../declare/operation.ts'
import { linksSchema, newLinksField, type Relationship } from '../declare/relationship.ts'
import type { Resource } from '../declare/resource.ts'
import { describeFields } from '../declare/shown-schema.ts'
import { bytesShown } from '../http/problems.ts'
import { place } from '../shape/envelope.ts'
import { describe, type Field, type JsonSchema } from '../shape/fields.ts'
import type { Components } from './components.ts'
import { kindsSchema } from './kinds.ts'
import { object } from './shapes.ts'

export const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` })
export const content = (schema: JsonSchema, example?: unknown) => ({
  'application/json': { schema, ...(example !== undefined && { example }) },
})

/** The content of a file. */
export const bytes: JsonSchema = { type: 'string', format: 'binary' }

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
export function bodyOf(operation: Operation, { nameOf }: Components): Record<string, unknown> | undefined {
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
    const schema = object(describeFields(Object.entries(form)), required)
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
          { data: dataSchema(body, false), ...describeFields(Object.entries(besideData)) },
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

import { type BodyShape, dataSchema, writable } from '../body/input.ts'
import type { KindsBody } from '../body/kinds.ts'
import type { Operation } from '../declare/operation.ts'
import { linksSchema, newLinksField, type Relationship } from '../declare/relationship.ts'
import type { Resource } from '../declare/resource.ts'
import { describeFields } from '../declare/shown-schema.ts'
import { bytesShown } from '../http/problems.ts'
import { place } from '../shape/envelope.ts'
import { describe, type Field, type JsonSchema } from '../shape/fields.ts'
import type { DocumentComponents } from './components.ts'
import { exampleOf } from './examples.ts'
import { named } from './named-schemas.ts'
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
 * An accepted body, from the examples and defaults of the fields; of required ones, if need be, from their schemas. For
 * an update: the fields with an example that may change.
 */
function exampleOfBody({ type, fields, envelope }: BodyShape, update: boolean): { data: object } | undefined {
  const all = writable(fields)
  const shown = update ? all.filter(([, { options }]) => !options.immutable) : all
  const sampleOf = (field: Field): unknown => {
    const { example, default: fallback, required } = field.options
    if (update) return example
    if (example !== undefined || fallback !== undefined) return example ?? fallback
    return required ? exampleOf(describe(field)) : undefined
  }
  // An update must repeat each object's own value, which no example can know.
  if (update && all.some(([, { options }]) => options.immutable && options.requiredOnUpdate)) return undefined
  const values = Object.fromEntries(shown.map(([name, field]) => [name, sampleOf(field)]))
  return { data: { type, ...place(envelope, values) } }
}

/** The same for a body with kinds: one object of the first kind. */
function exampleOfKinds({ by, of }: KindsBody): unknown {
  const [[kind, { fields }] = ['', { fields: {} }]] = Object.entries(of)
  const { type: _, ...values } = (exampleOfBody({ type: kind, fields }, false)?.data ?? {}) as {
    readonly type?: unknown
  }
  return { data: { [by]: kind, ...values } }
}

/** The request body of an operation that has one. */
export function bodyOf(
  operation: Operation,
  { nameOf }: DocumentComponents,
): Record<string, unknown> | undefined {
  const { of } = operation
  if (of.is === 'resource') {
    if (of.name !== 'create' && of.name !== 'update') return undefined
    const update = of.name === 'update'
    const name = nameOf(of.resource)
    const data = ref(update ? `${name}Changes` : `New${name}`)
    return { required: true, content: content(object({ data }), exampleOfBody(of.resource, update)) }
  }
  if (of.is === 'singleton') {
    if (of.name !== 'update') return undefined
    const data = dataSchema(of.singleton, true)
    return { required: true, content: content(object({ data }), exampleOfBody(of.singleton, true)) }
  }
  if (of.is === 'relationship') {
    // The one link is removed whatever the body says.
    if (of.name === 'list' || (of.name === 'remove' && of.relationship.holds === 'one')) return undefined
    const schema = object({ data: linksSchema(of.relationship) })
    return { required: true, content: content(schema, exampleOf(schema)) }
  }
  const { body, besideData = {}, data, kinds, rawBody, rawBodies, upload } = of.action
  if (upload) {
    const { form, formRules } = upload
    const description = `At most ${bytesShown(upload.bytesMax)}${form ? ', including the multipart envelope' : ''}.`
    if (!form) return { required: true, description, content: { '*/*': { schema: bytes } } }
    const required = Object.keys(form).filter((name) => form[name]?.options.required)
    const parts = object(describeFields(Object.entries(form)), required)
    const media = { schema: { ...parts, ...formRules }, example: exampleOf(parts) }
    return { required: true, description, content: { 'multipart/form-data': media } }
  }
  if (data) {
    const schema = object({ data: describe(data) })
    return { required: true, content: content(schema, exampleOf(schema)) }
  }
  if (kinds)
    return { required: true, content: content(object({ data: kindsSchema(kinds) }), exampleOfKinds(kinds)) }
  if (body)
    return {
      ...(!body.optional && { required: true }),
      content: content(
        object(
          {
            data: { ...dataSchema(body, false), ...body.rules },
            ...describeFields(Object.entries(besideData)),
          },
          body.optional ? [] : ['data'],
        ),
        body.example ? { data: { type: body.type, ...body.example } } : exampleOfBody(body, false),
      ),
    }
  if (rawBodies) {
    const content = Object.entries(rawBodies).map(([type, schema]) => [
      type,
      { schema, example: exampleOf(schema) },
    ])
    // The body of a DELETE is optional.
    return {
      ...(operation.method !== 'DELETE' && { required: true }),
      content: Object.fromEntries(content),
    }
  }
  return rawBody ? { content: { '*/*': { schema: bytes } } } : undefined
}

const kindSchemas = new WeakMap<KindsBody, JsonSchema>()

/** The schema of `data` of a body of kinds. Operations that share the kinds share the schema. */
export function kindsSchema(kinds: KindsBody): JsonSchema {
  const schema = kindSchemas.get(kinds) ?? oneOfKinds(kinds)
  kindSchemas.set(kinds, schema)
  return schema
}

function oneOfKinds({ name, by, most, of, schemas }: KindsBody): JsonSchema {
  const all = Object.entries(schemas).map(([kind, schema]) => ({
    ...{ kind, schema: { ...schema, ...of[kind]?.rules } },
    name: name + kind.replace(/(?:^|[_-])(\w)/g, (_, letter: string) => letter.toUpperCase()),
  }))
  const mapping = Object.fromEntries(all.map(({ kind, name }) => [kind, `#/components/schemas/${name}`]))
  const one = named(name, {
    oneOf: all.map(({ name, schema }) => named(name, schema)),
    discriminator: { propertyName: by, mapping },
  })
  return most === 1 ? one : { oneOf: [one, { type: 'array', items: one, minItems: 1, maxItems: most }] }
}

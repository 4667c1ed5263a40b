import type { Field, Fields, JsonSchema } from '../fields.ts'
import { dataSchema, type Envelope, writable } from '../input.ts'
import type { Operation } from '../module.ts'
import { linksSchema } from '../relationship.ts'
import type { Resource } from '../resource.ts'
import type { Named } from './components.ts'

const object = (
  properties: Readonly<Record<string, unknown>>,
  required = Object.keys(properties),
): JsonSchema => ({
  type: 'object',
  required,
  properties,
})
const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` })
const content = (schema: JsonSchema, example?: unknown) => ({
  'application/json': { schema, ...(example !== undefined && { example }) },
})

/** A field's schema with what its reader is told of it. */
function described([name, { schema, options }]: [string, Field]): [string, JsonSchema] {
  const { about, example, default: fallback, readOnly, hidden } = options
  const facts = {
    ...(about && { description: about }),
    ...(fallback !== undefined && { default: fallback }),
    ...(example !== undefined && { examples: [example] }),
    ...(readOnly && { readOnly }),
    ...(hidden && { writeOnly: true }),
  }
  return [name, { ...schema, ...facts }]
}

/** The object as answers show it. */
export function shownSchema({ type, about, fields, dialect }: Resource): JsonSchema {
  const shown = Object.entries(fields as Fields).filter(([, { options }]) => !options.hidden)
  const time = { type: 'string', format: 'date-time' }
  const times = object({ created_at: time, updated_at: time })
  const meta = { flat: times, timestamps: object({ timestamps: times }), none: undefined }[dialect.meta]
  const schema = object({
    type: { const: type },
    id: { type: 'string', format: 'uuid' },
    ...Object.fromEntries(shown.map(described)),
    ...(meta && { meta }),
    ...(dialect.links !== 'none' && { links: selfLink }),
  })
  return { description: about, ...schema, required: ['type', 'id', ...(meta ? ['meta'] : [])] }
}

const selfLink: JsonSchema = { type: 'object', properties: { self: { type: 'string' } } }

export const newSchema = (resource: Resource): JsonSchema => sentSchema(resource, false)
export const changesSchema = (resource: Resource): JsonSchema => sentSchema(resource, true)

/** What a client sends as `data`, with the fields' descriptions. */
function sentSchema(envelope: Envelope, update: boolean): JsonSchema {
  const schema = dataSchema(envelope, update)
  const fields = Object.fromEntries(writable(envelope.fields).map(described))
  return { ...schema, properties: { ...(schema.properties as object), ...fields } }
}

/** A body that would be accepted, as far as the fields' examples and defaults go. */
function exampleOf({ type, fields }: Envelope, update: boolean): unknown {
  const told = writable(fields).map(([name, { options }]) => [name, options] as const)
  const sampleOf = (options: Field['options']) => options.example ?? options.default ?? undefined
  if (!update && told.some(([, options]) => options.required && sampleOf(options) === undefined))
    return undefined
  return { data: { type, ...Object.fromEntries(told.map(([name, options]) => [name, sampleOf(options)])) } }
}

/** The request body of an operation that takes one. */
export function bodyOf(operation: Operation, { nameOf }: Named): Record<string, unknown> | undefined {
  const { of } = operation
  if (of.kind === 'resource') {
    if (of.name !== 'create' && of.name !== 'update') return undefined
    const update = of.name === 'update'
    const name = nameOf(of.resource)
    const data = ref(update ? `${name}Changes` : `New${name}`)
    return { required: true, content: content(object({ data }), exampleOf(of.resource, update)) }
  }
  if (of.kind === 'singleton') {
    if (of.name !== 'update') return undefined
    const data = sentSchema(of.singleton, true)
    return { required: true, content: content(object({ data }), exampleOf(of.singleton, true)) }
  }
  if (of.kind === 'relationship') {
    if (of.name === 'list') return undefined
    return { required: true, content: content(object({ data: linksSchema(of.relationship) })) }
  }
  const { body, rawBody } = of.action
  if (body)
    return {
      required: true,
      content: content(object({ data: sentSchema(body, false) }), exampleOf(body, false)),
    }
  return rawBody ? { content: { '*/*': { schema: {} } } } : undefined
}

/** The answer of an operation that succeeds. */
export function successOf(operation: Operation, shared: Named): Record<string, unknown> {
  const { status, of } = operation
  if (status === 204) return { 204: { description: 'Done; there is nothing to say.' } }
  if (status === 303 || status === 307) {
    const headers = { Location: { schema: { type: 'string', format: 'uri' } } }
    return { [status]: { description: 'Goes on elsewhere.', headers } }
  }
  if (of.kind === 'resource') return resourceAnswer(of.resource, of.name, shared)
  if (of.kind === 'singleton') {
    const { type, fields, about } = of.singleton
    const data = object(
      { type: { const: type }, ...Object.fromEntries(Object.entries(fields).map(described)) },
      ['type'],
    )
    const headers = { ETag: { $ref: '#/components/headers/ETag' } }
    return { [status]: { description: about, headers, content: content(object({ data })) } }
  }
  if (of.kind === 'relationship') {
    const schema = object({ data: linksSchema(of.relationship), links: selfLink }, ['data'])
    return { [status]: { description: 'The links.', content: content(schema) } }
  }
  const { shows } = of.action
  if (shows?.page) return { [status]: pageAnswer(shows.resource && shared.nameOf(shows.resource)) }
  const resource = shows?.resource ?? shared.resourceAt(operation.path)
  const name = resource && shared.nameOf(resource)
  const data = name ? ref(name) : {}
  return {
    [status]: {
      description: 'Done.',
      content: content(of.action.rawBody && !name ? { type: 'object' } : object({ data }, [])),
    },
  }
}

function resourceAnswer(resource: Resource, name: string, { nameOf }: Named): Record<string, unknown> {
  const { noun, dialect } = resource
  const schema = ref(nameOf(resource) ?? '')
  const included = resource.include ? { included: { type: 'object' } } : {}
  if (name === 'list') return { 200: pageAnswer(nameOf(resource), included) }
  const links = dialect.links === 'beside' ? { links: selfLink } : {}
  const answer = {
    description: `The ${noun[0].replaceAll('-', ' ')}.`,
    headers: { ETag: { $ref: '#/components/headers/ETag' } },
    content: content({ ...object({ data: schema, ...links, ...included }), required: ['data'] }),
  }
  if (name === 'create') return { 201: answer }
  return name === 'get'
    ? { 200: answer, 304: { $ref: '#/components/responses/NotModified' } }
    : { 200: answer }
}

const pageAnswer = (name: string | undefined, included: object = {}) => ({
  description: 'A page of the list.',
  headers: { Link: { $ref: '#/components/headers/Link' } },
  content: content(
    object(
      {
        data: { type: 'array', items: name ? ref(name) : { type: 'object' } },
        meta: ref('Page'),
        links: ref('Links'),
        ...included,
      },
      ['data', 'meta', 'links'],
    ),
  ),
})

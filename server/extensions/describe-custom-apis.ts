import { metaSchema } from '../kernel/declare/shown-schema.ts'
import { limits } from '../kernel/query/parse.ts'
import type { JsonSchema } from '../kernel/shape/fields.ts'
import type { Definition } from './definition.ts'
import { entryMeta } from './entries.ts'
import { valueSchema } from './entry-values.ts'
import { extensionEnvelope } from './envelope.ts'
import { timeout } from './list-timeout.ts'

/** The OpenAPI 3.1 document of the custom APIs: their entries at /v2/extensions, with their fields. */
export function describeCustomApis(apis: readonly Definition[], baseUrl: string): object {
  return {
    openapi: '3.1.0',
    info: { title: 'Custom APIs of this store', version: '2' },
    servers: [{ url: baseUrl }],
    security: [{ bearer: [] }],
    tags: apis.map(({ slug, name, description }) => ({
      name: slug,
      description: description || name,
    })),
    paths: Object.fromEntries(apis.flatMap(pathsOf)),
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: { ...sharedSchemas, ...Object.fromEntries(apis.flatMap(schemasOf)) },
    },
  }
}

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const content = (schema: JsonSchema) => ({ content: { 'application/json': { schema } } })
const inEnvelope = (schema: JsonSchema) => ({
  type: 'object',
  required: ['data'],
  properties: { data: schema },
})

const etag = {
  ETag: {
    description: 'Identifies the version of the entry; send it as If-Match.',
    schema: { type: 'string' },
  },
}
const refusals = (...statuses: readonly number[]) =>
  Object.fromEntries(
    statuses.map((status) => [status, { description: 'Refused', ...content(ref('errors')) }]),
  )
const header = (name: string, description: string) => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string' },
})
const query = (name: string, description: string, schema: JsonSchema) => ({
  name,
  in: 'query',
  description,
  schema,
})
const ifMatch = header('If-Match', 'The ETag of the version to change; 412 if the entry has changed since.')

function pathsOf(api: Definition): [string, object][] {
  const { slug, apiType, allowUpserts, urlSlug } = api
  const entry = content(inEnvelope(ref(apiType)))
  const requestBody = { required: true, ...content(inEnvelope(ref(`${apiType}_write`))) }
  const operation = (verb: string, summary: string) => ({
    operationId: `${verb}-${slug}`,
    tags: [slug],
    summary,
  })
  const id = {
    name: 'entry',
    in: 'path',
    required: true,
    description: urlSlug ? `The entry's ${urlSlug.slug}, or its id.` : "The entry's id.",
    schema: urlSlug ? { type: 'string' } : { type: 'string', format: 'uuid' },
  }
  return [
    [
      `/v2/extensions/${slug}`,
      {
        get: {
          ...operation('list', 'Lists entries'),
          parameters: listParameters,
          responses: {
            200: { description: 'A page of entries', ...content(ref(`${apiType}_page`)) },
            ...refusals(400, 401, 403, 422),
          },
        },
        post: {
          ...operation('create', 'Creates an entry'),
          requestBody: requestBody,
          responses: {
            201: { description: 'Created', headers: etag, ...entry },
            ...refusals(400, 401, 403, 409, 413),
          },
        },
      },
    ],
    [
      `/v2/extensions/${slug}/{entry}`,
      {
        parameters: [id],
        get: {
          ...operation('get', 'Reads an entry'),
          responses: {
            200: { description: 'The entry', headers: etag, ...entry },
            ...refusals(401, 403, 404),
          },
        },
        put: {
          ...operation('update', allowUpserts ? 'Changes an entry, or creates it' : 'Changes an entry'),
          parameters: [ifMatch],
          requestBody: requestBody,
          responses: {
            200: { description: 'Changed', headers: etag, ...entry },
            ...(allowUpserts && { 201: { description: 'Created', headers: etag, ...entry } }),
            ...refusals(400, 401, 403, 404, 409, 412, 413),
          },
        },
        delete: {
          ...operation('delete', 'Deletes an entry'),
          parameters: [ifMatch],
          responses: { 204: { description: 'Deleted' }, ...refusals(401, 403, 404, 412) },
        },
      },
    ],
  ]
}

const listParameters = [
  query('page[limit]', 'Entries per page', { type: 'integer', minimum: 0, maximum: 100 }),
  query('page[offset]', 'Entries to skip', { type: 'integer', minimum: 0, maximum: limits.offsetMax }),
  query('filter', 'Conditions, such as eq(id,…)', { type: 'string', maxLength: limits.filterBytesMax }),
  query('sort', 'The field to sort by; prefix it with - for descending order', {
    type: 'string',
    enum: ['created_at', '-created_at', 'id', '-id', 'updated_at', '-updated_at'],
  }),
  query('timeout', 'The time limit of the list in milliseconds', timeout.schema),
]

function schemasOf({ apiType, name, description, fields }: Definition): [string, JsonSchema][] {
  const properties = Object.fromEntries(fields.map((field) => [field.slug, valueSchema(field)]))
  const type = { const: apiType }
  return [
    [
      apiType,
      {
        type: 'object',
        title: name,
        description,
        required: ['type', 'id', 'meta', 'links'],
        properties: {
          type,
          id: { type: 'string', format: 'uuid' },
          ...properties,
          meta: ref('entry_meta'),
          links: { type: 'object', properties: { self: { type: 'string' } } },
        },
      },
    ],
    [
      `${apiType}_write`,
      {
        type: 'object',
        title: `${name}: the request`,
        required: ['type'],
        properties: { type, ...properties },
      },
    ],
    [
      `${apiType}_page`,
      {
        type: 'object',
        required: ['data', 'meta', 'links'],
        properties: {
          data: { type: 'array', items: ref(apiType) },
          meta: ref('page_meta'),
          links: ref('page_links'),
        },
      },
    ],
  ]
}

const integerSchema = { type: 'integer' }
const members = (names: readonly string[], schema: JsonSchema) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, schema])),
})

const sharedSchemas: Readonly<Record<string, JsonSchema>> = {
  entry_meta: metaSchema({ envelope: extensionEnvelope, meta: { fields: entryMeta } }) ?? {},
  page_meta: {
    type: 'object',
    properties: {
      page: members(['limit', 'offset', 'current', 'total'], integerSchema),
      results: { type: 'object', properties: { total: integerSchema, total_method: { type: 'string' } } },
    },
  },
  page_links: members(['current', 'first', 'last', 'next', 'prev'], { type: ['string', 'null'] }),
  errors: {
    type: 'object',
    required: ['errors'],
    properties: {
      errors: {
        type: 'array',
        items: members(['title', 'status', 'detail', 'code', 'source'], { type: 'string' }),
      },
    },
  },
}

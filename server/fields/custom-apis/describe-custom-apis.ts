import { action } from '../../kernel/declare/action.ts'
import { parameters } from '../../kernel/openapi/components.ts'
import { listFacts } from '../../kernel/openapi/parameters.ts'
import { content, openApiDocument, ref } from '../../kernel/openapi/schemas.ts'
import { limits } from '../../kernel/query/parse.ts'
import { json } from '../../kernel/shape/answer.ts'
import type { JsonSchema } from '../../kernel/shape/fields.ts'
import { listOf, object } from '../../kernel/shape/schemas.ts'
import { type ApiDefinition, findAllDefinitions } from './definition.ts'
import { entryMetaSchema } from './entries.ts'
import { timeout } from './list-timeout.ts'

export const getExtensionsApiDocument = action({
  name: 'get-extensions-api-document',
  route: 'GET /v2/settings/extensions/specifications/openapi',
  about: "Reads an OpenAPI document of the store's custom APIs.",
  area: 'custom-apis',
  status: 200,
  shows: { body: openApiDocument },

  async run(ctx) {
    return json(200, describeCustomApis(await findAllDefinitions(ctx), ctx.baseUrl))
  },
})

/** The OpenAPI 3.1 document of the custom APIs: their entries at /v2/extensions, with their fields. */
function describeCustomApis(apis: readonly ApiDefinition[], baseUrl: string): object {
  return {
    openapi: '3.1.0',
    info: { title: 'Custom APIs of this store', version: '2' },
    servers: [{ url: baseUrl }],
    security: [{ bearer: [] }],
    tags: apis.map(({ doc: { slug, name, description } }) => ({
      name: slug,
      description: description || name,
    })),
    paths: Object.fromEntries(apis.flatMap(pathsOf)),
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      parameters: writeParameters,
      schemas: { ...sharedSchemas, ...Object.fromEntries(apis.flatMap(schemasOf)) },
    },
  }
}

const etag = {
  ETag: {
    description: 'Identifies the version of the entry; send it as If-Match.',
    schema: { type: 'string' },
  },
}
const refusals = (...statuses: readonly number[]) =>
  Object.fromEntries(
    statuses.map((status) => [status, { description: 'Refused', content: content(ref('errors')) }]),
  )
const parameter = (
  name: string,
  at: string,
  description: string,
  schema: JsonSchema = { type: 'string' },
) => ({
  ...{ name, in: at, description, schema },
})

const { ifMatch, dryRun, idempotencyKey } = parameters
const writeParameters = { ifMatch, dryRun, idempotencyKey }
const shared = (...names: readonly (keyof typeof writeParameters)[]) =>
  names.map((name) => ({ $ref: `#/components/parameters/${name}` }))

function pathsOf({ doc, urlSlug, entries }: ApiDefinition): [string, object][] {
  const { slug, api_type, allow_upserts } = doc
  const entry = { headers: etag, content: content(object({ data: ref(api_type) })) }
  const requestBody = { required: true, content: content(object({ data: ref(`${api_type}_write`) })) }
  const operation = (verb: string, summary: string, facts: object) => ({
    ...{ operationId: `${verb}-${slug}`, tags: [slug], summary },
    'x-sutler-right': `${verb === 'list' || verb === 'get' ? 'read' : 'write'} ${entries.area}`,
    ...facts,
  })
  const id = {
    name: 'entry',
    in: 'path',
    required: true,
    description: urlSlug ? `The entry's ${urlSlug.name}, or its id.` : "The entry's id.",
    schema: urlSlug ? { type: 'string' } : uuid,
  }
  const collection = {
    get: operation('list', 'Lists entries', {
      'x-sutler-list': listFacts(entries),
      parameters: listParameters,
      responses: {
        200: { description: 'A page of entries', content: content(ref(`${api_type}_page`)) },
        ...refusals(400, 401, 403, 422),
      },
    }),
    post: operation('create', 'Creates an entry', {
      parameters: shared('dryRun', 'idempotencyKey'),
      requestBody,
      responses: { 201: { description: 'Created', ...entry }, ...refusals(400, 401, 403, 409, 413) },
    }),
  }
  const one = {
    parameters: [id],
    get: operation('get', 'Reads an entry', {
      responses: { 200: { description: 'The entry', ...entry }, ...refusals(401, 403, 404) },
    }),
    put: operation('update', allow_upserts ? 'Changes an entry, or creates it' : 'Changes an entry', {
      parameters: shared('ifMatch', 'dryRun', 'idempotencyKey'),
      requestBody,
      responses: {
        200: { description: 'Changed', ...entry },
        ...(allow_upserts && { 201: { description: 'Created', ...entry } }),
        ...refusals(400, 401, 403, 404, 409, 412, 413),
      },
    }),
    delete: operation('delete', 'Deletes an entry', {
      parameters: shared('ifMatch', 'dryRun', 'idempotencyKey'),
      responses: { 204: { description: 'Deleted' }, ...refusals(401, 403, 404, 412) },
    }),
  }
  return [
    [`/v2/extensions/${slug}`, collection],
    [`/v2/extensions/${slug}/{entry}`, one],
  ]
}

const listParameters = [
  parameter('page[limit]', 'query', 'Entries per page', { type: 'integer', minimum: 0, maximum: 100 }),
  parameter('page[offset]', 'query', 'Entries to skip', {
    ...{ type: 'integer', minimum: 0, maximum: limits.offsetMax },
  }),
  parameter('filter', 'query', 'Conditions, such as eq(id,…)', {
    ...{ type: 'string', maxLength: limits.filterBytesMax },
  }),
  parameter('sort', 'query', 'The field to sort by; prefix it with - for descending order', {
    type: 'string',
    enum: ['created_at', '-created_at', 'id', '-id', 'updated_at', '-updated_at'],
  }),
  parameter('timeout', 'query', 'The time limit of the list in milliseconds', timeout.schema),
]

function schemasOf({ doc, fields }: ApiDefinition): [string, JsonSchema][] {
  const { api_type, name, description } = doc
  const values = Object.fromEntries(fields.map((field) => [field.name, field.schema]))
  const type = { const: api_type }
  const shown = {
    ...{ type, id: uuid, ...values },
    ...{ meta: ref('entry_meta'), links: { type: 'object', properties: { self: { type: 'string' } } } },
  }
  const page = { data: listOf(ref(api_type)), meta: ref('page_meta'), links: ref('page_links') }
  return [
    [api_type, titled(name, { description }, object(shown, ['type', 'id', 'meta', 'links']))],
    [`${api_type}_write`, titled(`${name}: the request`, {}, object({ type, ...values }, ['type']))],
    [`${api_type}_page`, object(page)],
  ]
}

const titled = (title: string, more: object, { type, ...schema }: JsonSchema): JsonSchema => ({
  ...{ type, title, ...more, ...schema },
})

const integerSchema = { type: 'integer' }
const uuid = { type: 'string', format: 'uuid' }
const members = (names: readonly string[], schema: JsonSchema) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, schema])),
})

const sharedSchemas: Readonly<Record<string, JsonSchema>> = {
  entry_meta: entryMetaSchema,
  page_meta: {
    type: 'object',
    properties: {
      page: members(['limit', 'offset', 'current', 'total'], integerSchema),
      results: { type: 'object', properties: { total: integerSchema, total_method: { type: 'string' } } },
    },
  },
  page_links: members(['current', 'first', 'last', 'next', 'prev'], { type: ['string', 'null'] }),
  errors: object({
    errors: listOf(members(['title', 'status', 'detail', 'code', 'source'], { type: 'string' })),
  }),
}

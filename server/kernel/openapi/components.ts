import type { Resource } from '../declare/resource.ts'
import { shownSchema } from '../declare/shown-schema.ts'
import { problems } from '../errors.ts'
import type { Module } from '../module.ts'
import { limits } from '../query/parse.ts'
import type { JsonSchema } from '../shape/fields.ts'
import type { OwnModel } from '../shape/model.ts'
import { listOf, object } from '../shape/schemas.ts'
import { headers } from './headers.ts'
import { responses } from './refusals.ts'
import { changesSchema, newSchema, ref } from './schemas.ts'

/** The components that operations refer to, and the name of each resource among them. */
export interface DocumentComponents {
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** The name of a resource, as in `#/components/schemas/<name>`. */
  nameOf(resource: Resource): string | undefined
  /** The name and the schema of a resource in responses, whether it has operations or not. */
  componentOf(resource: Resource): readonly [name: string, schema: JsonSchema]
  /** The resource of an operation that is not one of the five, if its path has one. */
  resourceAt(path: string): Resource | undefined
  /** Whether the objects of the collection at this path have a key. */
  keyAt(path: string): boolean
}

const place = (path: string) => path.replace(/:\w+/g, ':')
const samePlace = (one: string, other: string) => place(one) === place(other)

const pascal = (noun: string) => noun.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())

/** The nouns whose names generated code would take for globals of JavaScript or TypeScript. */
const nounsOfGlobals: readonly string[] = [
  ...['array', 'blob', 'date', 'document', 'error', 'event', 'file', 'form-data', 'headers', 'image', 'map'],
  ...['node', 'object', 'option', 'promise', 'range', 'record', 'request', 'response', 'set', 'text', 'url'],
]

/** The name of a resource in the document. */
const schemaName = ([one]: Resource['noun']): string =>
  pascal(one) + (nounsOfGlobals.includes(one) ? 'Object' : '')

export function components(modules: readonly Module[], own: OwnModel = (model) => model): DocumentComponents {
  const resources = [
    ...new Set(
      modules
        .flatMap(({ operations }) => operations)
        .flatMap((one) => (one.alternative ? [one, one.alternative.operation] : [one]))
        .flatMap(({ of }) => (of.is === 'resource' ? [of.resource] : [])),
    ),
  ]
  const linksOf = new Map(
    modules
      .flatMap(({ operations }) => operations)
      .flatMap(({ of }) => (of.is === 'resource' && of.links ? [[of.resource, of.links] as const] : [])),
  )
  const names = new Map(resources.map((resource) => [resource, schemaName(resource.noun)]))
  const schemas: Record<string, unknown> = {
    Problem: problemSchema,
    Problems: problemsSchema,
    WouldDelete: wouldDeleteSchema,
    Page: pageSchema,
    Links: linksSchema,
    ...linesSchemas,
  }
  for (const [resource, name] of names) {
    const ofStore = own(resource)
    schemas[name] = shownSchema(ofStore)
    schemas[`New${name}`] = newSchema(ofStore, linksOf.get(resource))
    schemas[`${name}Changes`] = changesSchema(ofStore)
  }
  return {
    components: { schemas, parameters, headers, responses: responses() },
    nameOf: (resource) => names.get(resource),
    componentOf: (resource) => [names.get(resource) ?? schemaName(resource.noun), shownSchema(own(resource))],
    keyAt: (path) => resources.some((resource) => resource.key && samePlace(resource.path, path)),
    resourceAt: (path) =>
      resources.find((resource) => resource.path === path || `${resource.path}/:id` === path),
  }
}

const problemSchema = {
  type: 'object',
  required: ['title', 'status'],
  properties: {
    title: { type: 'string' },
    status: { type: 'string', description: 'The HTTP status.' },
    code: {
      type: 'string',
      enum: Object.keys(problems),
      description: 'The code that programs branch on.',
    },
    detail: { type: 'string', description: 'What is wrong, and what is accepted.' },
    source: {
      type: 'string',
      description: 'The part of the request that is wrong: `data.name`, `page[limit]`.',
    },
    meta: {
      type: 'object',
      additionalProperties: true,
      description: 'More about the error, such as the item that it is about.',
    },
    request_id: {
      type: 'string',
      format: 'uuid',
      description: 'Identifies a server error in the log.',
    },
  },
}

const problemsSchema = object({ errors: listOf(ref('Problem')) })

/** The response to the dry run of a delete. */
const wouldDeleteSchema = object(
  {
    meta: object(
      {
        would_delete: {
          type: 'object',
          description:
            'How many objects would be deleted, by their type: the object itself, and those that go with it.',
          additionalProperties: { type: 'integer', minimum: 1 },
        },
      },
      ['would_delete'],
    ),
  },
  ['meta'],
)

export const pageSchema = {
  type: 'object',
  required: ['page', 'results'],
  properties: {
    page: {
      type: 'object',
      required: ['limit', 'offset', 'current', 'total'],
      properties: {
        limit: { type: 'integer', description: 'The maximum number of records in this page.' },
        offset: { type: 'integer', description: 'The number of records before this page.' },
        current: { type: 'integer', description: 'The number of this page, from 1.' },
        total: { type: 'integer', description: 'The number of pages.' },
      },
    },
    results: {
      type: 'object',
      properties: {
        total: { type: 'integer', description: 'The exact number of records that match the filters.' },
      },
    },
  },
}

const linesSchemas = {
  JsonLines: {
    type: 'string',
    description:
      'All objects of the list without page limits, as of one moment, each as JSON on a line of its own.',
  },
  CsvLines: {
    type: 'string',
    description:
      'All objects of the list without page limits, as RFC 4180 has it. The header names each value by its path.',
  },
}

// Some parts of the API use relative links.
const link = { type: ['string', 'null'], format: 'uri-reference' }
const linksSchema = {
  type: 'object',
  description:
    'A link is null where there is no such page. Some lists leave it out instead, and `last` on the last page too.',
  properties: { current: link, first: link, last: link, next: link, prev: link },
}

/** The limit is in bytes; a text of more characters is longer in any case. */
export const filterSchema: JsonSchema = { type: 'string', maxLength: limits.filterBytesMax }

export const parameters = {
  limit: {
    name: 'page[limit]',
    in: 'query',
    description:
      'The number of records per page. The default is the setting `page_length`, which is 25 unless it was changed.',
    schema: { type: 'integer', minimum: 0, maximum: limits.pageMax },
  },
  limitOfWhole: {
    name: 'page[limit]',
    in: 'query',
    description: `The number of records per page. Without page parameters the response has all records, up to ${limits.wholeMax.toLocaleString('en-US')}.`,
    schema: { type: 'integer', minimum: 0, maximum: limits.pageMax },
  },
  offset: {
    name: 'page[offset]',
    in: 'query',
    description: 'The number of records to skip.',
    schema: { type: 'integer', minimum: 0, maximum: limits.offsetMax, default: 0 },
  },
  after: {
    name: 'page[after]',
    in: 'query',
    description:
      'Pages by cursor instead of by offset, so that concurrent writes neither skip nor repeat records. ' +
      'Send it empty for the first page, then follow `links.next`.',
    schema: { type: 'string' },
  },
  before: {
    name: 'page[before]',
    in: 'query',
    description:
      'Like `page[after]`, but backwards. Send it empty for the last page, then follow `links.prev`.',
    schema: { type: 'string' },
  },
  sort: {
    name: 'sort',
    in: 'query',
    description:
      'The field to sort by; prefix it with `-` for descending order. By default the newest come first.',
    schema: { type: 'string' },
  },
  filter: {
    name: 'filter',
    in: 'query',
    description:
      'Returns only the records that match. Join terms by `:` (and) or `|` (or); group them in parentheses.',
    schema: filterSchema,
  },
  idempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'A key of your choice. The same request with the same key is carried out once: a repetition gets the ' +
      'first response, with the header `Idempotency-Replayed`.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  dryRun: {
    name: 'Prefer',
    in: 'header',
    description:
      '`dry-run` asks what the request would do: the response is the one of the real request, and nothing changes. It has ' +
      '`Preference-Applied: dry-run`. Where a delete has no response body, it says how many objects would be deleted. ' +
      'Other servers are not asked. Not with an `Idempotency-Key`.',
    schema: { type: 'string' },
  },
  ifMatch: {
    name: 'If-Match',
    in: 'header',
    description: 'The ETag of the version to change; 412 if the object has changed since.',
    schema: { type: 'string' },
  },
  ifNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'The ETag of the version you have; 304 if the object has not changed.',
    schema: { type: 'string' },
  },
}

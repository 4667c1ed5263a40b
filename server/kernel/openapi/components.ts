import type { Module } from '../declare/module.ts'
import type { Resource } from '../declare/resource.ts'
import { problems } from '../errors.ts'
import { limits } from '../query/parse.ts'
import type { JsonSchema } from '../shape/fields.ts'
import { headers } from './headers.ts'
import { responses } from './refusals.ts'
import { changesSchema, newSchema, shownSchema } from './schemas.ts'

/** The parts that operations refer to, and the name each resource has among them. */
export interface Named {
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** A resource's name, as in `#/components/schemas/<name>`. */
  nameOf(resource: Resource): string | undefined
  /** The name and the schema of what answers show of a resource, whether it has operations or not. */
  componentOf(resource: Resource): readonly [name: string, schema: JsonSchema]
  /** The resource that an operation outside the five is about, if there is one at its path. */
  resourceAt(path: string): Resource | undefined
  /** Whether objects of the collection at this path are called by a key. */
  keyAt(path: string): boolean
}

const place = (path: string) => path.replace(/:\w+/g, ':')
const samePlace = (one: string, other: string) => place(one) === place(other)

const pascal = (noun: string) => noun.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())

/** `ownOf`: a resource as a store has it. */
export function components(
  modules: readonly Module[],
  ownOf: (resource: Resource) => Resource = (resource) => resource,
): Named {
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
  const names = new Map(resources.map((resource) => [resource, pascal(resource.noun[0])]))
  const schemas: Record<string, unknown> = { Problems: problemsSchema, Page: pageSchema, Links: linksSchema }
  for (const [resource, name] of names) {
    const own = ownOf(resource)
    schemas[name] = shownSchema(own)
    schemas[`New${name}`] = newSchema(own, linksOf.get(resource))
    schemas[`${name}Changes`] = changesSchema(own)
  }
  return {
    components: { schemas, parameters, headers, responses: responses() },
    nameOf: (resource) => names.get(resource),
    componentOf: (resource) => [
      names.get(resource) ?? pascal(resource.noun[0]),
      shownSchema(ownOf(resource)),
    ],
    keyAt: (path) => resources.some((resource) => resource.key && samePlace(resource.path, path)),
    resourceAt: (path) =>
      resources.find((resource) => resource.path === path || `${resource.path}/:id` === path),
  }
}

const problemsSchema = {
  type: 'object',
  required: ['errors'],
  properties: {
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['title', 'status'],
        properties: {
          title: { type: 'string' },
          status: { type: 'string', description: 'The HTTP status.' },
          code: {
            type: 'string',
            enum: Object.keys(problems),
            description: 'For programs: see docs/errors.md.',
          },
          detail: { type: 'string', description: 'What was wrong, and what would have been accepted.' },
          source: { type: 'string', description: 'Where in the request: `data.name`, `page[limit]`.' },
          meta: {
            type: 'object',
            additionalProperties: true,
            description: 'What else is known of the fault: which item it is of.',
          },
          request_id: { type: 'string', format: 'uuid', description: 'To find a server error in its log.' },
        },
      },
    },
  },
}

export const pageSchema = {
  type: 'object',
  required: ['page', 'results'],
  properties: {
    page: {
      type: 'object',
      required: ['limit', 'offset', 'current', 'total'],
      properties: {
        limit: { type: 'integer', description: 'The most records in this page.' },
        offset: { type: 'integer', description: 'Records before this page.' },
        current: { type: 'integer', description: 'The number of this page, from 1.' },
        total: { type: 'integer', description: 'Pages in all.' },
      },
    },
    results: {
      type: 'object',
      properties: { total: { type: 'integer', description: 'Records in all, after filters: exact.' } },
    },
  },
}

// Some parts of the API link by path alone.
const link = { type: ['string', 'null'], format: 'uri-reference' }
const linksSchema = {
  type: 'object',
  description: 'Where there is no such page, null, or left out; then so is `last` of the last page.',
  properties: { current: link, first: link, last: link, next: link, prev: link },
}

const parameters = {
  limit: {
    name: 'page[limit]',
    in: 'query',
    description:
      'Records in a page. Without it: the `page_length` of the settings, 25 unless it was changed.',
    schema: { type: 'integer', minimum: 0, maximum: limits.pageMax },
  },
  limitOfWhole: {
    name: 'page[limit]',
    in: 'query',
    description: `Records in a page. Without any page parameter the answer has all records, up to ${limits.wholeMax}.`,
    schema: { type: 'integer', minimum: 0, maximum: limits.pageMax },
  },
  offset: {
    name: 'page[offset]',
    in: 'query',
    description: 'Records to skip.',
    schema: { type: 'integer', minimum: 0, default: 0 },
  },
  after: {
    name: 'page[after]',
    in: 'query',
    description:
      'Walks the list by cursor instead of by offset: nothing is skipped or repeated while others write. ' +
      'Empty for the start; then follow `links.next`.',
    schema: { type: 'string' },
  },
  before: {
    name: 'page[before]',
    in: 'query',
    description: 'As `page[after]`, backwards. Empty for the end; then follow `links.prev`.',
    schema: { type: 'string' },
  },
  sort: {
    name: 'sort',
    in: 'query',
    description: 'The field to sort by; descending after `-`. Without it, the newest come first.',
    schema: { type: 'string' },
  },
  filter: {
    name: 'filter',
    in: 'query',
    description: 'Only records that meet it. Join terms by `:` (and) or `|` (or); group them in parentheses.',
    schema: { type: 'string' },
  },
  idempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Any text of your own. The same request with the same key is carried out once: a repetition is given the ' +
      'first answer, with the header `Idempotency-Replayed`.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  ifMatch: {
    name: 'If-Match',
    in: 'header',
    description: 'The ETag of the version to change; 412 when the object is no longer that.',
    schema: { type: 'string' },
  },
  ifNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'The ETag of the version you have; 304 when it is still that.',
    schema: { type: 'string' },
  },
}

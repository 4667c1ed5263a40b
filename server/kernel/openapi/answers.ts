import { STATUS_CODES } from 'node:http'
import type { Action } from '../declare/action.ts'
import { isRehearsable, isRepeatable, isSilentDelete, type Operation } from '../declare/operation.ts'
import { linksSchema, listsRows } from '../declare/relationship.ts'
import type { Resource } from '../declare/resource.ts'
import { describeFields, urlsSchema } from '../declare/shown-schema.ts'
import { linksBeside } from '../shape/envelope.ts'
import { describe, type Field, type Fields, type JsonSchema } from '../shape/fields.ts'
import { hasWatermark } from '../shape/model.ts'
import { listOf, object } from '../shape/schemas.ts'
import { shown } from '../shape/shown.ts'
import { type DocumentComponents, pageSchema } from './components.ts'
import { headersNamed } from './headers.ts'
import { objectOf } from './named-schemas.ts'
import { bytes, content, ref } from './schemas.ts'

interface Response {
  readonly description: string
  readonly headers?: Readonly<Record<string, unknown>>
  readonly content?: Readonly<Record<string, unknown>>
}

/** The refused parts of a request whose other parts succeeded. */
const errorsSchema: JsonSchema = listOf(ref('Problem'))

const selfLink: JsonSchema = object({ self: { type: 'string' } })
const tagged = headersNamed('ETag')

/** The responses of a successful operation, by status. */
export function successOf(operation: Operation, shared: DocumentComponents): Record<string, unknown> {
  const always = headersNamed(
    'X-Request-Id',
    ...(isRepeatable(operation) ? ['Idempotency-Replayed' as const] : []),
    ...(isRehearsable(operation) ? ['Preference-Applied' as const] : []),
  )
  const own = answersOf(operation, shared)
  const all: Record<string, Response> = {
    ...(operation.includesLinked ? Object.fromEntries(Object.entries(own).map(withLinked)) : own),
    ...otherAnswers(operation),
  }
  const answers = Object.entries(all).map(
    ([status, answer]) => [status, { ...answer, headers: { ...always, ...answer.headers } }] as const,
  )
  const isConditional = operation.method === 'GET' && answers.some(([, { headers }]) => 'ETag' in headers)
  return {
    ...Object.fromEntries(answers),
    ...(isConditional && { 304: { $ref: '#/components/responses/NotModified' } }),
  }
}

/** The response with any further lists in `included`: only the store knows their names. */
function withLinked([status, answer]: readonly [string, Response]): readonly [string, Response] {
  const { [json]: shown, ...others } = (answer.content ?? {}) as Readonly<
    Record<string, { schema: JsonSchema }>
  >
  const properties = shown?.schema.properties as Readonly<Record<string, JsonSchema>> | undefined
  if (!shown || !properties) return [status, answer]
  const included = { type: 'object', ...properties.included, additionalProperties: true }
  const schema = { ...shown.schema, properties: { ...properties, included } }
  return [status, { ...answer, content: { [json]: { schema }, ...others } }]
}

const json = 'application/json'

/** A dry run of a delete says what would be gone. */
const wouldDelete: Response = {
  description: 'For a dry run: what would be deleted.',
  content: content(ref('WouldDelete')),
}

function answersOf(operation: Operation, shared: DocumentComponents): Readonly<Record<number, Response>> {
  const { status, of } = operation
  if (status === 204) {
    return {
      ...(isSilentDelete(operation) && isRehearsable(operation) && { 200: wouldDelete }),
      204: { description: 'Done; the response has no body.' },
    }
  }
  if (status === 303 || status === 307)
    return { [status]: { description: 'Redirects the client.', headers: headersNamed('Location') } }
  if (of.is === 'resource') return { [status]: resourceAnswer(of.resource, of.name) }
  if (of.is === 'singleton') {
    const { type, fields, about, shows } = of.singleton
    const members = {
      type: { const: type },
      ...describeFields(Object.entries({ ...fields, ...shows?.data })),
    }
    const schema = object(
      { data: object(members, ['type']), ...describeFields(Object.entries(shows?.beside ?? {})) },
      ['data'],
    )
    return { [status]: { description: about, headers: tagged, content: content(schema) } }
  }
  if (of.is === 'relationship') return { [status]: linksAnswer(of) }
  return actionAnswers(of.action, operation, shared)
}

/** Further responses of an action: an existing object, a redirect, or a refusal of another form. */
function otherAnswers({ of }: Operation): Readonly<Record<string, Response>> {
  const others = Object.entries((of.is === 'action' && of.action.shows?.others) || {})
  return Object.fromEntries(
    others.map(([status, body]) => {
      const headers = of.is === 'action' && of.action.shows?.etag ? { headers: tagged } : {}
      if (body)
        return [status, { description: titleOf(status), ...headers, content: content(describe(body)) }]
      const isRedirect = status.startsWith('3')
      return [
        status,
        { description: titleOf(status), ...(isRedirect && { headers: headersNamed('Location') }) },
      ]
    }),
  )
}

const titleOf = (status: string): string => `${STATUS_CODES[status] ?? 'Done'}.`

function linksAnswer({ relationship, name }: Extract<Operation['of'], { is: 'relationship' }>): Response {
  const data = linksSchema(relationship)
  if (name === 'list' && listsRows(relationship))
    return pageAnswer({ method: 'GET', items: shown.as(data.items as JsonSchema) })
  return { description: 'The links.', content: content(object({ data, links: selfLink }, ['data'])) }
}

function actionAnswers(
  action: Action,
  operation: Operation,
  shared: DocumentComponents,
): Record<number, Response> {
  const { shows } = action
  const { status } = operation
  if (shows?.file) return fileAnswers(shows.file, Object.hasOwn(action.headers ?? {}, 'Range'))
  if (shows?.body === null) return { [status]: { description: 'Done; the response has no body.' } }
  const headers = shows?.etag ? { headers: tagged } : {}
  if (shows?.body) {
    const stream = shows.stream && { [shows.stream]: { schema: { type: 'string' } } }
    const lines = shows.lines && { headers: headersNamed('Sutler-Feed-Position') }
    return {
      [status]: {
        ...{ description: 'Done.', ...headers, ...lines },
        content: { ...content(describe(shows.body)), ...stream, ...(lines && linesContent) },
      },
    }
  }
  const { resource } = shows ?? {}
  if (shows?.page) {
    const items = shows.data ?? (resource ? objectOf(() => resource) : shown.as({ type: 'object' }))
    return {
      [status]: pageAnswer({
        method: operation.method,
        items,
        resource,
        beside: shows.beside,
        meta: shows.meta,
      }),
    }
  }
  const answered = shows?.data ? undefined : (resource ?? shared.resourceAt(operation.path))
  return { [status]: objectAnswer(answered, shows ?? {}) }
}

/** One object of a resource, or the data that an action declares. */
function objectAnswer(
  resource: Resource | undefined,
  { data: own, beside, errors, etag, cookie }: NonNullable<Action['shows']>,
): Response {
  const data = own ?? (resource && objectOf(() => resource))
  const members = {
    ...(data && { data: describe(data) }),
    ...(resource && linksBeside(resource.envelope) && { links: urlsSchema(resource) }),
    ...(resource && includedIn(resource)),
    ...describeFields(Object.entries(beside ?? {})),
    ...(errors && { errors: errorsSchema }),
  }
  const isTyped = Object.keys(members).length > 0
  return {
    description: resource ? `The ${resource.noun[0].replaceAll('-', ' ')}.` : 'Done.',
    ...((etag || resource) && { headers: tagged }),
    ...(cookie && { headers: headersNamed('Set-Cookie') }),
    content: content(isTyped ? object(members, data ? ['data'] : []) : { type: 'object' }),
  }
}

function fileAnswers(type: true | string, hasRanges: boolean): Record<number, Response> {
  const content = { [type === true ? '*/*' : type]: { schema: bytes } }
  if (!hasRanges) return { 200: { description: 'The file.', content } }
  const headers = headersNamed('ETag')
  return {
    200: { description: 'The file.', headers, content },
    206: {
      description: 'A part of the file.',
      headers: { ...headers, ...headersNamed('Content-Range') },
      content,
    },
  }
}

const resourceAnswer = (resource: Resource, name: string): Response =>
  name === 'list'
    ? pageAnswer({ method: 'GET', items: objectOf(() => resource), resource })
    : objectAnswer(resource, {})

function includedIn({ include }: Resource) {
  if (!include) return {}
  const all = Object.values(include)
  const list = all.find(({ under }) => under === undefined)
  if (list) return { included: listOf({ anyOf: [objectOf(list.target).schema] }) }
  return {
    included: object(
      Object.fromEntries(all.map(({ under, target }) => [under, listOf(objectOf(target).schema)])),
      [],
    ),
  }
}

interface PageShape {
  readonly method: Operation['method']
  readonly items: Field
  readonly resource?: Resource | undefined
  readonly beside?: Fields | undefined
  readonly meta?: Fields | undefined
}

/** `meta` of a page with further members; those of `results` are beside the total. */
function pageMeta({ results, ...others }: Readonly<Record<string, JsonSchema>>): JsonSchema {
  if (!results) return Object.keys(others).length ? { allOf: [ref('Page'), object(others, [])] } : ref('Page')
  const { page, results: usual } = pageSchema.properties
  const properties = { ...usual.properties, ...(results.properties as object) }
  return object({ page, results: { ...usual, properties }, ...others }, ['page', 'results'])
}

const linesContent = {
  'application/x-ndjson': { schema: ref('JsonLines') },
  'text/csv': { schema: ref('CsvLines') },
}

function pageAnswer({ method, items, resource, beside, meta }: PageShape): Response {
  const members = {
    data: listOf(describe(items)),
    meta: pageMeta(describeFields(Object.entries({ ...resource?.listMeta?.fields, ...meta }))),
    links: ref('Links'),
    ...(resource && includedIn(resource)),
    ...describeFields(Object.entries(beside ?? {})),
  }
  const body = content(object(members, ['data', 'meta', 'links']))
  if (method !== 'GET')
    return { description: 'A page of the list.', headers: headersNamed('Link'), content: body }
  return {
    description: 'A page of the list, or all of it as lines if `Accept` prefers them.',
    headers: headersNamed(
      ...(['Link', 'Sutler-Total-Count', 'Sutler-Feed-Position'] as const),
      // A resource of run time may have one.
      ...(!resource || hasWatermark(resource) ? ['Sutler-Watermark' as const] : []),
    ),
    content: {
      ...body,
      ...linesContent,
    },
  }
}

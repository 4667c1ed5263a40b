import { isDeepStrictEqual } from 'node:util'
import { type AccessTable, mayDo } from '../auth/access.ts'
import { cannotRehearse, type Operation, rightFor } from '../declare/operation.ts'
import type { Module } from '../module.ts'
import type { ApiDocument } from '../shape/api-document.ts'
import type { JsonSchema } from '../shape/fields.ts'
import type { OwnModel } from '../shape/model.ts'
import type { ShopperToken } from '../work/context.ts'
import { successOf } from './answers.ts'
import { components, type DocumentComponents } from './components.ts'
import { usedComponents, withReferences } from './named-schemas.ts'
import { withoutOwnWords } from './own-words.ts'
import { listedBy, listFacts, parametersOf } from './parameters.ts'
import { problemResponses } from './refusals.ts'
import { bodyOf } from './schemas.ts'
import { phrase, type TagGroups, tagOf, tagsOf } from './tags.ts'

type SecondToken = Pick<ShopperToken, 'header' | 'kind'>

/**
 * The ways to call an operation: with a token that the client has, with one that it gets for its key, or with a second
 * token of one of these persons.
 */
const waysToSignIn = (persons: readonly SecondToken[]): readonly object[] => [
  { bearer: [] },
  { applicationKey: [] },
  ...persons.map(({ kind }) => ({ bearer: [], [kind]: [] })),
]

const securitySchemes = (shopperTokens: readonly SecondToken[], tokenPath: string) => ({
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: `An access token from \`POST ${tokenPath}\`.`,
  },
  applicationKey: {
    type: 'oauth2',
    description: 'Gets an access token for the id and the secret of an application key.',
    flows: {
      clientCredentials: {
        tokenUrl: tokenPath,
        scopes: {},
        // The page that shows this document sends them in the header otherwise.
        'x-scalar-credentials-location': 'body',
      },
    },
  },
  ...Object.fromEntries(
    shopperTokens.map(({ kind, header }) => [
      kind,
      {
        type: 'apiKey',
        in: 'header',
        name: header,
        description: 'A second token, beside the access token, that identifies the shopper.',
      },
    ]),
  ),
})

type MediaContent = Readonly<Record<string, { readonly schema: JsonSchema; readonly example?: unknown }>>

interface Media {
  readonly description?: string
  readonly $ref?: string
  readonly content?: MediaContent
}

type Responses = Readonly<Record<string, unknown>>

/** A schema that accepts what either accepts. */
const either = (one: JsonSchema, other: JsonSchema): JsonSchema =>
  isDeepStrictEqual(one, other) ? one : { anyOf: [one, other] }

function eitherContent(one: Media, other: Media): Media {
  const schemas = Object.entries(one.content ?? {}).map(([type, media]) => {
    const more = other.content?.[type]
    return [type, more ? { ...media, schema: either(media.schema, more.schema) } : media] as const
  })
  return { ...one, content: { ...other.content, ...Object.fromEntries(schemas) } }
}

/** The request body of an operation with two variants. */
const eitherBody = <B extends object | undefined>(one: B, other: B): B =>
  one && other ? (eitherContent(one as Media, other as Media) as B) : (one ?? other)

/** The responses of an operation with two variants. */
function eitherResponses(one: Responses, other: Responses): Responses {
  const merged = Object.entries(one).map(([status, response]) => {
    const more = other[status] as Media | undefined
    const own = response as Media
    return [status, more && !own.$ref && own.content ? eitherContent(own, more) : own] as const
  })
  return { ...other, ...Object.fromEntries(merged) }
}

/** The application's own part of the document. */
interface About {
  readonly title: string
  readonly version: string
  readonly description: string
  readonly groups: TagGroups
  /** The path of the operation that issues access tokens to an application key. */
  readonly tokenPath: string
  readonly access: AccessTable
  /** Headers beside the bearer token that name the person who is calling. */
  readonly shopperTokens: readonly Pick<ShopperToken, 'header' | 'kind'>[]
}

/**
 * The OpenAPI 3.1 document of all modules; with `own`, as one store has its resources. It has no servers: the process
 * that serves it adds its address.
 */
export function apiDocument(modules: readonly Module[], about: About, own?: OwnModel): ApiDocument {
  const { title, version, description, groups, shopperTokens, tokenPath } = about
  const shared = components(modules, own)
  const paths: Record<string, Record<string, unknown>> = {}
  const pathOf = documentedPaths()
  for (const { name, operations } of modules) {
    for (const operation of operations) {
      const path = pathOf(operation)
      paths[path] ??= {}
      const tag = tagOf(groups, name)
      paths[path][operation.method.toLowerCase()] = describeOperation(tag, operation, path, about, shared)
    }
  }
  const schemas = { ...shared.components.schemas }
  const described = { paths, components: shared.components }
  const referring = withReferences(described, schemas, shared.componentOf)
  const all = { ...referring.components, schemas: { ...schemas, ...referring.components.schemas } }
  return withoutOwnWords({
    openapi: '3.1.0',
    info: { title, version, description },
    ...tagsOf(groups, modules),
    security: waysToSignIn([]),
    paths: referring.paths,
    components: {
      ...usedComponents(referring.paths, all),
      securitySchemes: securitySchemes(shopperTokens, tokenPath),
    },
  })
}

/** `:id` becomes `{id}`. Operations with the same path but different parameter names use the names of the first. */
function documentedPaths(): (operation: Operation) => string {
  const paths = new Map<string, string>()
  return ({ path }) => {
    const place = path.replace(/:\w+/g, '{}')
    const documentedPath = paths.get(place) ?? path.replace(/:(\w+)/g, '{$1}')
    paths.set(place, documentedPath)
    return documentedPath
  }
}

function describeOperation(
  tag: string,
  operation: Operation,
  path: string,
  { access, shopperTokens }: About,
  shared: DocumentComponents,
): Record<string, unknown> {
  const { id, about } = operation
  const open = operation.access === 'open'
  const reason = operation.access === 'write' ? cannotRehearse(operation) : undefined
  const kinds = callersOf(operation, access)
  const persons = shopperTokens.filter(({ kind }) => kinds.includes(kind))
  const { alternative } = operation
  const ways = [operation, ...(alternative ? [alternative.operation] : [])]
  const listed = listedBy(operation)
  const body = ways.map((way) => bodyOf(way, shared)).reduce(eitherBody)
  const responses = ways
    .map((way) => ({ ...problemResponses(way, kinds), ...successOf(way, shared) }))
    .reduce(eitherResponses)
  return {
    operationId: id,
    tags: [tag],
    summary: phrase(id),
    description: [
      about,
      ...(reason === undefined ? [] : [`Refuses \`Prefer: dry-run\` (400). ${reason}`]),
      open ? anyone : `Allowed for: ${kinds.map(quote).join(', ')}.`,
    ].join('\n\n'),
    ...(open && { security: [] }),
    ...(persons.length && { security: waysToSignIn(persons) }),
    ...(!open && { 'x-sutler-right': `${rightFor(operation)} ${operation.area}` }),
    ...(listed && { 'x-sutler-list': listFacts(listed) }),
    parameters: parametersOf(operation, path, shared),
    ...(body && { requestBody: body }),
    responses,
  }
}

const anyone = 'Needs no access token.'

const quote = (kind: string) => `\`${kind}\``

/** The kinds of callers that may use the operation: see `AccessTable`. */
function callersOf(operation: Operation, access: AccessTable): readonly string[] {
  const right = rightFor(operation)
  if (right === 'open') return []
  return Object.keys(access[operation.area] ?? {}).filter((kind) =>
    mayDo(access, kind, operation.area, right),
  )
}

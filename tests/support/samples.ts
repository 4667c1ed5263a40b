import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { app } from '../../server/app.ts'
import type { Field, Fields, JsonSchema } from '../../server/kernel/fields.ts'
import { writable } from '../../server/kernel/input.ts'
import type { Operation } from '../../server/kernel/module.ts'
import type { OperationName, Resource } from '../../server/kernel/resource.ts'
import type { Client } from './client.ts'
import { makeSampleApi, sampleEntries, typeOfEntries } from './sample-api.ts'

export const operations: readonly Operation[] = app.flatMap((module) => module.operations)

/** One kind of object, and its operations: the resource's own, or actions at the same address. */
export interface Kind {
  readonly name: string
  readonly resource: Resource
  readonly operations: Partial<Readonly<Record<OperationName, Operation>>>
  /** Its resource is made by a request; the one here stands for it, and the type of its objects is not known. */
  readonly runTime: boolean
}

const place = (path: string) => path.replace(/:\w+/g, ':')
const routes = { list: 'GET', create: 'POST', get: 'GET', update: 'PUT', delete: 'DELETE' } as const

const isOf = (resource: Resource) => (operation: Operation) =>
  operation.of.kind === 'resource' && operation.of.resource === resource

/** Kinds that a job goes on changing after their create was answered: what is owed by every create is not by theirs. */
const settledLater = ['erasure-request']

function kindOf(resource: Resource, runTime = false): Kind {
  const at = (name: OperationName) => {
    if (name === 'create' && settledLater.includes(resource.noun[0])) return undefined
    const own = operations.filter(isOf(resource)).find(({ of }) => of.kind === 'resource' && of.name === name)
    // A GET that is an action may answer with anything, so it is no list.
    if (own || (!runTime && (name === 'list' || name === 'get'))) return own
    const path = place(name === 'list' || name === 'create' ? resource.path : `${resource.path}/:id`)
    return operations.find((other) => other.method === routes[name] && place(other.path) === path)
  }
  const names = Object.keys(routes) as OperationName[]
  const found = names.flatMap((name) => {
    const operation = at(name)
    return operation ? [[name, operation] as const] : []
  })
  return { name: resource.noun[0], resource, runTime, operations: Object.fromEntries(found) }
}

/** Every kind of object the server has. */
export const kinds: readonly Kind[] = [
  ...[...new Set(operations.flatMap(({ of }) => (of.kind === 'resource' ? [of.resource] : [])))].map((one) =>
    kindOf(one),
  ),
  ...sampleEntries.map((resource) => kindOf(resource, true)),
]

export function kindNamed(name: string): Kind {
  const kind = kinds.find((one) => one.name === name)
  if (!kind) throw new Error(`There is no resource ${name}`)
  return kind
}

export const kindsWith = (...names: readonly OperationName[]): readonly Kind[] =>
  kinds.filter((kind) => names.every((name) => kind.operations[name]))

/** An object that was made, and its address. */
export interface Made {
  readonly id: string
  /** The last segment of its path. */
  readonly key: string
  readonly collection: string
  readonly path: string
  // biome-ignore lint/suspicious/noExplicitAny: as for Reply.
  readonly body: any
}

type Data = { readonly id: string } & Readonly<Record<string, unknown>>

type Maker = (client: Client, samples: Samples, collection: string) => Promise<Data>

/** Objects that are not made by a create of their own kind. */
const makers: Readonly<Record<string, Maker>> = {
  // Every store has them from its start; the newest realm is that of accounts.
  'authentication-realm': async (client) => (await client.get('/v2/authentication-realms')).body.data[0],
  'merchant-realm-mapping': async (client) => (await client.get('/v2/merchant-realm-mappings')).body.data,
  'account-member': async (client, samples, collection) => {
    const { id } = await samples.make(kindNamed('user-authentication-info'))
    return (await client.get(`${collection}/${id}`)).body.data
  },
  'account-membership-of-member': async (_client, samples, collection) => {
    const account = await samples.make(kindNamed('account'))
    const [, , , account_member_id] = collection.split('/')
    const memberships = `${account.path}/account-memberships`
    return (await samples.make(kindNamed('account-membership'), memberships, { account_member_id })).body.data
  },
  'erasure-request': async (client, _samples, collection) => {
    const data = { type: 'erasure_request', resource_type: 'customer', resource_id: randomUUID() }
    let made = (await client.post(collection, { data })).body.data
    for (let attempt = 0; made.status === 'CREATED' && attempt < 100; attempt++) {
      await setTimeout(50)
      made = (await client.get(`${collection}/${made.id}`)).body.data
    }
    return made
  },
}

/** Kinds whose rules ask for more than the fields that are always required. */
const wantedInFull = ['account-address', 'customer-address']

const roleOf = async (client: Client) =>
  (await client.get('/v2/permissions/built-in-roles')).body.data[0].id as string

/** Fields that are more than their schemas say. */
const completions: Readonly<
  Record<string, (client: Client, samples: Samples, collection: string) => Promise<object>>
> = {
  'custom-entry': async (client, _samples, collection) => ({ type: await typeOfEntries(client, collection) }),
  'custom-entry-in-settings': async (client, _samples, collection) => ({
    type: await typeOfEntries(client, collection),
  }),
  // Or a request for a one-time password would be refused.
  'password-profile': async () => ({ enable_one_time_password_token: true }),
  'custom-api-role-policy': async (client, samples) => {
    const { id } = await samples.make(kindNamed('custom-api'))
    const relationships = {
      custom_api: { data: { type: 'custom_api', id } },
      role: { data: { type: 'built_in_role', id: await roleOf(client) } },
    }
    return { relationships }
  },
}

/** Fields that no made-up value of is right. */
const notMadeUp = ['current_password']

/** Path parameters that are no object of ours, by the segment before them. */
const parameters: Readonly<Record<string, (client: Client) => Promise<string>>> = {
  'built-in-roles': roleOf,
  extensions: makeSampleApi,
  stores: async (client) => (await client.get('/v2/settings')).body.data.id,
}

const tagLinks = async (samples: Samples) => {
  const { id } = await samples.make(kindNamed('account-tag'))
  return { data: [{ type: 'account_tag', id }] }
}

/** Bodies of actions that are not made of declared fields. */
const bodies: Readonly<Record<string, (samples: Samples) => Promise<unknown>>> = {
  'add-account-tags': tagLinks,
  'remove-account-tags': tagLinks,
  'create-account-member-tokens': (samples) => memberCredentials(samples),
  'create-customer-token': (samples) => customerCredentials(samples),
}

async function customerCredentials(samples: Samples) {
  const password = 'eleven horses by the river'
  const { body } = await samples.make(kindNamed('customer'), undefined, { password })
  return { data: { type: 'token', email: body.data.email, password } }
}

async function memberCredentials(samples: Samples) {
  const user = await samples.make(kindNamed('user-authentication-info'))
  const [account, password] = [await samples.make(kindNamed('account')), 'eleven horses by the river']
  const membership = { account_member_id: user.id }
  await samples.make(kindNamed('account-membership'), `${account.path}/account-memberships`, membership)
  const links = `${user.path}/user-authentication-password-profile-info`
  const link = kindNamed('user-authentication-password-profile-info')
  const { password_profile_id, username } = (await samples.make(link, links, { password })).body.data
  const fields = { authentication_mechanism: 'password', password_profile_id, username, password }
  return { data: { type: 'account_management_authentication_token', ...fields } }
}

/** How a shopper of each kind comes by the token that says who they are. */
export const signIns: Readonly<Record<string, (client: Client, samples: Samples) => Promise<string>>> = {
  'account-member': async (client, samples) =>
    (await client.post('/v2/account-members/tokens', await memberCredentials(samples))).body.data[0].token,
  customer: async (client, samples) =>
    (await client.post('/v2/customers/tokens', await customerCredentials(samples))).body.data.token,
}

const aboutSomeone = '?filter=eq(resource_type,customer):eq(resource_id,00000000-0000-7000-8000-000000000000)'

/** Queries that actions cannot do without. */
const queries: Readonly<Record<string, string>> = {
  'list-personal-data-logs': aboutSomeone,
  'list-related-data-entries': aboutSomeone,
  'list-erasure-requests': aboutSomeone,
}

// Anywhere, so that a second run on the same server makes other names.
let counter = Math.floor(Math.random() * 1e9)

/** Makes valid objects of any kind, as their declarations say, in the store of its client. */
export class Samples {
  readonly #client: Client
  readonly #shared = new Map<string, Promise<Made>>()

  constructor(client: Client) {
    this.#client = client
  }

  /** The path with an existing object's id in place of each parameter. */
  async path(pattern: string): Promise<string> {
    const known: [name: string, value: string][] = []
    let path = ''
    for (const segment of pattern.split('/').slice(1)) {
      if (!segment.startsWith(':')) path += `/${segment}`
      else {
        const value = await this.#parameter(pattern, path)
        known.push([segment, value])
        path += `/${value}`
      }
    }
    return path
  }

  async #parameter(pattern: string, before: string): Promise<string> {
    const depth = before.split('/').length
    const collection = pattern.split('/').slice(0, depth).join('/')
    const kind = kinds.find(({ resource }) => place(resource.path) === place(collection))
    if (kind) return (await this.shared(kind, before)).key
    const segment = before.slice(before.lastIndexOf('/') + 1)
    const other = parameters[segment]
    if (other) return other(this.#client)
    // An address of another part of the API that names the object by its list: `/oidc-idp/…/oidc-profiles/:id`.
    const elsewhere = kinds.find(({ resource }) => resource.path.endsWith(`/${segment}`))
    if (elsewhere) return (await this.shared(elsewhere, await this.path(elsewhere.resource.path))).key
    throw new Error(`No sample for the parameter after ${before}: add a row to samples.ts`)
  }

  /** One object of the kind at `collection`, made once. */
  shared(kind: Kind, collection: string): Promise<Made> {
    const key = `${kind.name} ${collection}`
    const made = this.#shared.get(key) ?? this.make(kind, collection)
    this.#shared.set(key, made)
    return made
  }

  /** A new object; where the kind has no create, one that is there. */
  async make(kind: Kind, at?: string, fields: Record<string, unknown> = {}): Promise<Made> {
    const collection = at ?? (await this.path(kind.resource.path))
    const maker = makers[kind.name]
    if (maker) return madeAt(collection, kind, { data: await maker(this.#client, this, collection) })
    const body = await this.body(kind, collection)
    Object.assign(body.data, fields)
    const reply = await this.#client.post(collection, body)
    if (reply.status >= 300) {
      throw new Error(
        `POST ${collection} ${JSON.stringify(body)}: ${reply.status} ${JSON.stringify(reply.body)}`,
      )
    }
    return madeAt(collection, kind, reply.body)
  }

  /** A body that a create at `collection` accepts: the required fields, or (`full`) all that can be made up. */
  async body(
    kind: Kind,
    collection: string,
    full = wantedInFull.includes(kind.name),
  ): Promise<{ data: Record<string, unknown> }> {
    const { type } = kind.resource
    const fields = createFields(kind)
    const data: Record<string, unknown> = { type }
    for (const [name, field] of writable(fields)) {
      const { required, refersTo } = field.options
      if (!required && (!full || refersTo === type)) continue
      data[name] = refersTo ? await this.#reference(refersTo, kind, collection) : sampleOf(name, field)
    }
    return { data: { ...data, ...(await completions[kind.name]?.(this.#client, this, collection)) } }
  }

  /** An object of another kind, under the same parents as far as it has them. */
  async #reference(type: string, from: Kind, collection: string): Promise<string> {
    const kind = kinds.find(({ name, resource }) => [name, resource.type].includes(type))
    if (!kind) throw new Error(`${from.name} refers to ${type}, which no resource is`)
    const values = collection.split('/')
    const names = from.resource.path.split('/')
    const filled = kind.resource.path
      .split('/')
      .map((segment) => (segment.startsWith(':') && values[names.indexOf(segment)]) || segment)
      .join('/')
    return (await this.make(kind, filled.includes(':') ? await this.path(filled) : filled)).id
  }

  /** A valid call of any operation: its path and, where it takes one, its body. */
  async call(operation: Operation): Promise<{ path: string; body: unknown }> {
    const { of } = operation
    if (of.kind === 'singleton') {
      const data = { type: of.singleton.type, ...samplesOf(of.singleton.fields) }
      return { path: operation.path, body: of.name === 'update' ? { data } : undefined }
    }
    const kind = kinds.find(({ operations }) => Object.values(operations).includes(operation))
    if (!kind) {
      const body = of.kind === 'action' ? of.action.body : undefined
      const own = await bodies[operation.id]?.(this)
      const path = (await this.path(operation.path)) + (queries[operation.id] ?? '')
      return { path, body: own ?? (body && { data: { type: body.type, ...samplesOf(body.fields) } }) }
    }
    const collection = await this.path(kind.resource.path)
    if (operation === kind.operations.list) return { path: collection, body: undefined }
    if (operation === kind.operations.create) {
      return { path: collection, body: await this.body(kind, collection, true) }
    }
    const { path, body } = await this.make(kind, collection)
    if (operation !== kind.operations.update) return { path, body: undefined }
    return { path, body: { data: { type: body.data.type, ...(await this.#changes(kind)) } } }
  }

  async #changes({ resource }: Kind): Promise<Record<string, unknown>> {
    const changeable = Object.entries(resource.fields as Fields).filter(
      ([name, { options }]) => !options.immutable && !options.refersTo && !notMadeUp.includes(name),
    )
    return samplesOf(Object.fromEntries(changeable))
  }
}

export const createFields = ({ resource, operations }: Kind): Fields => {
  const of = operations.create?.of
  return of?.kind === 'action' && of.action.body ? of.action.body.fields : resource.fields
}

function madeAt(collection: string, { resource }: Kind, body: { data: Data }): Made {
  const { id } = body.data
  const key = resource.key ? encodeURIComponent(String(body.data[resource.key.field])) : id
  return { id, key, collection, path: `${collection}/${key}`, body }
}

const samplesOf = (fields: Fields): Record<string, unknown> =>
  Object.fromEntries(
    writable(fields)
      .filter(([, { options }]) => !options.refersTo)
      .map(([name, field]) => [name, sampleOf(name, field)]),
  )

/** A valid value; of texts, another each time. */
export function sampleOf(name: string, { schema, options }: Field): unknown {
  const { example, default: fallback } = options
  if ([schema.type].flat()[0] === 'string' && !schema.enum) return uniqueText(name, schema, example)
  return example ?? fallback ?? valueOfSchema(schema)
}

function uniqueText(name: string, schema: JsonSchema, example: unknown): string {
  counter += 1
  const base = String(example ?? name)
  const { maxLength = 100, minLength = 0, pattern, format } = schema as { [k: string]: never }
  const byFormat: Record<string, string> = {
    email: `sample-${counter}@example.com`,
    uri: `${example ?? 'https://example.com'}${/[?#]/.test(base) ? '' : `/${counter}`}`,
    uuid: `00000000-0000-4000-8000-${String(counter).padStart(12, '0')}`,
    'date-time': '2026-01-31T09:30:00.000Z',
  }
  if (format) return byFormat[format] ?? base
  const candidates = [`${base} ${counter}`, `x${counter}${base}`, `${base}-${counter}`]
  const email = base.replace('@', `-${counter}@`)
  const fits = (text: string) =>
    text.length <= maxLength && text.length >= minLength && (!pattern || new RegExp(pattern, 'u').test(text))
  const made = [...(base.includes('@') ? [email] : []), ...candidates].find(fits)
  return made ?? base.slice(0, maxLength)
}

/** The plainest value that a schema without an example describes. */
function valueOfSchema(schema: JsonSchema): unknown {
  const {
    type,
    properties = {},
    required = [],
    minItems = 0,
    items = {},
    minimum,
  } = schema as Partial<{
    type: string | string[]
    properties: Record<string, JsonSchema>
    required: string[]
    minItems: number
    items: JsonSchema
    minimum: number
  }>
  if (schema.const !== undefined) return schema.const
  if (Array.isArray(schema.enum)) return schema.enum[0]
  const kind = [type].flat()[0]
  if (kind === 'object') {
    return Object.fromEntries(required.map((name) => [name, valueOfSchema(properties[name] ?? {})]))
  }
  if (kind === 'array') return Array.from({ length: minItems }, () => valueOfSchema(items))
  if (kind === 'integer' || kind === 'number') return Math.max(1, minimum ?? 1)
  if (kind === 'boolean') return true
  return kind === 'string' ? 'sample' : null
}

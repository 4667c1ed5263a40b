import { checker, refuseWith422 } from '../../kernel/body/checker.ts'
import { type Action, type ActionCall, action, type Method } from '../../kernel/declare/action.ts'
import type { Link } from '../../kernel/declare/relationship.ts'
import type { Resource } from '../../kernel/declare/resource.ts'
import { invalidField, notFound, Problem } from '../../kernel/errors.ts'
import { parseBody } from '../../kernel/http/reading/body.ts'
import { exampleId } from '../../kernel/openapi/examples.ts'
import { named } from '../../kernel/openapi/named-schemas.ts'
import { resolveId } from '../../kernel/query/find.ts'
import { documentStorage } from '../../kernel/request/links.ts'
import { type Answer, json, noContent } from '../../kernel/shape/answer.ts'
import { group, list as listOf, text } from '../../kernel/shape/fields.ts'
import type { Row } from '../../kernel/shape/model.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { findExtendedObject } from './core-entries.ts'
import { fieldsOf } from './define.ts'
import { entriesOf } from './entry-operations.ts'
import { entryName, type FlowRef, findFlow, flowName } from './find-flow.ts'
import { isCore } from './kinds.ts'

const path = '/v2/flows/:flow_id/entries/:id/relationships/:field_slug'
/** The same links at the address of the object that a core flow extends, which clients use too. */
const ownPath = '/v2/:resource/:id/relationships/:field_slug'
const linksMax = 1000

const name = text({ required: true, min: 1, max: 255 })
const link = group({ type: name, id: name }, {})
const linkSchema = named('FlowEntryLink', link.schema)
const linksField = listOf(link, { maxItems: linksMax })
const check = checker(linksField.schema, 'data')

type LinkEdit = (
  before: readonly Link[],
  sent: readonly Link[] | undefined,
  isOne: boolean,
) => readonly Link[]

const isAmong = (links: readonly Link[], { id, type }: Link) =>
  links.some((one) => one.id === id && one.type === type)

const add: LinkEdit = (before, sent = [], isOne) =>
  isOne ? sent : [...before, ...sent.filter((one) => !isAmong(before, one))]
const replace: LinkEdit = (_before, sent = []) => sent
const subtract: LinkEdit = (before, sent) => (sent ? before.filter((one) => !isAmong(sent, one)) : [])

const linksSchema = named('FlowEntryLinks', linksField.schema)
const oneOrMany = {
  data: {
    anyOf: [linksSchema, linkSchema, { type: 'null' }],
    examples: [[{ type: 'product', id: exampleId }]],
  },
}

interface LinkCall {
  readonly name: 'get' | 'create' | 'update' | 'delete'
  readonly method: Method
  readonly status: 200 | 201 | 204
  /** The description for the named owner. */
  readonly about: (owner: string) => string
  readonly edit?: LinkEdit
}

const calls: readonly LinkCall[] = [
  { name: 'get', method: 'GET', status: 200, about: (owner) => `Reads the links of ${owner}.` },
  {
    ...{ name: 'create', method: 'POST', status: 201, edit: add },
    about: (owner) => `Adds links from ${owner}, or replaces the link of a one-to-one field.`,
  },
  {
    ...{ name: 'update', method: 'PUT', status: 201, edit: replace },
    about: (owner) => `Replaces the links of ${owner} with the links in the body.`,
  },
  {
    ...{ name: 'delete', method: 'DELETE', status: 204, edit: subtract },
    about: (owner) => `Removes links of ${owner}: the links in the body, or all links without a body.`,
  },
]

const shared = ({ method, status, about }: LinkCall, owner: string) => ({
  about: about(owner),
  status,
  // The body of a DELETE is read only if the action declares it as raw.
  ...(method === 'DELETE' && { rawBody: true }),
  ...(method !== 'GET' && {
    rawBodies: {
      'application/json': {
        type: 'object',
        // Without `data` or without a body, all links are removed.
        required: method === 'DELETE' ? [] : ['data'],
        properties: oneOrMany,
      },
    },
  }),
  ...(status !== 204 && { shows: { data: linksSchema } }),
})

/** The operations that link an entry to other objects, by a field of the type relationship. */
export const linkOperations: readonly Action[] = [
  ...calls
    .filter(({ name }) => name !== 'get')
    .map((call) =>
      action({
        ...shared(call, 'an entry'),
        area: 'flow-entries',
        params: { flow_id: flowName, id: entryName },
        name: `${call.name}-flow-entry-relationship`,
        route: `${call.method} ${path}`,
        run: async (ctx, sent) => run(ctx, call, await findFlow(ctx, sent.params.flow_id), sent),
      }),
    ),
  ...calls.map((call) =>
    action({
      ...shared(call, 'an object that a core flow extends (`resource` is the slug of the flow)'),
      area: 'links-of-extended',
      name: `${call.name}-relationship-of-extended`,
      route: `${call.method} ${ownPath}`,
      run: async (ctx, sent) => run(ctx, call, await findCoreFlow(ctx, sent.params.resource), sent),
    }),
  ),
]

async function findCoreFlow(ctx: Ctx, resource: string): Promise<FlowRef> {
  if (!isCore(resource)) throw notFound('resource that a flow extends', resource)
  return findFlow(ctx, resource)
}

type LinkRequest = Pick<ActionCall<'GET /v2/:id/:field_slug'>, 'params' | 'rawBody' | 'headers'>

async function run(
  ctx: Ctx,
  { method, status, edit }: LinkCall,
  flow: FlowRef,
  { params, rawBody, headers }: LinkRequest,
): Promise<Answer> {
  const member = params.field_slug
  const holds = await findCardinality(ctx, flow, member)
  const { of, row } = await findOwner(ctx, flow, params.id)
  const storage = documentStorage(of, { member }, holds)
  if (!edit) {
    ctx.onRead(of, row)
    return json(status, { data: await storage.read(ctx, row) })
  }
  const body = typeof rawBody === 'string' ? parseBody(rawBody, String(headers['content-type'])) : rawBody
  const sent = readLinks(body, holds, method === 'DELETE')
  // Locked, so that concurrent requests for the same entry do not lose each other's links.
  await ctx.store.lock(of, row.id)
  const owner = await ctx.store.find(of, row.id, row.scope)
  if (!owner) throw notFound('flow entry', row.id)
  const before = await storage.read(ctx, owner)
  const after = edit(before, sent, holds === 'one')
  if (after.length > linksMax) {
    const detail = `A field of an entry can have at most ${linksMax} links.`
    throw new Problem('unprocessable', detail, { source: 'data' })
  }
  if (!storage.areSame(before, after)) await storage.write(ctx, owner, before, after)
  return status === 204 ? noContent : json(status, { data: after })
}

type Cardinality = 'one' | 'many'

async function findCardinality(ctx: Ctx, flow: FlowRef, slug: string): Promise<Cardinality> {
  const field = (await fieldsOf(ctx, flow.id)).find(
    (one) => one.slug === slug && one.field_type === 'relationship' && one.enabled,
  )
  if (!field) throw notFound('relationship field', slug)
  return field.validation_rules[0]?.type === 'one-to-one' ? 'one' : 'many'
}

async function findOwner(
  ctx: Ctx,
  flow: FlowRef,
  name: string,
): Promise<{ readonly of: Resource; readonly row: Row }> {
  if (flow.kind === 'core') return findExtendedObject(ctx, flow, name)
  const of = entriesOf(flow)
  const id = await resolveId(ctx, of, [flow.id], name)
  const row = await ctx.store.find(of, id, [flow.id])
  if (!row) throw notFound('flow entry', name)
  return { of, row }
}

function readLinks(body: unknown, holds: Cardinality, isOptional: boolean): readonly Link[] | undefined {
  const data = (body as { readonly data?: unknown } | null | undefined)?.data
  if (data === undefined && isOptional) return undefined
  if (data === undefined) {
    throw new Problem('unprocessable', "The field 'data' is required (data).", { source: 'data' })
  }
  const links = [(data ?? []) as Link | readonly Link[]].flat()
  refuseWith422(check)(links)
  if (holds === 'one' && links.length > 1 && !isOptional) {
    throw invalidField('data', 'must be a single link', 'unprocessable')
  }
  const each = new Map(links.map(({ id, type }) => [`${type} ${id}`, { type, id }]))
  return [...each.values()]
}

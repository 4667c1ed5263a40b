import { wrongToken } from '../../kernel/auth/access.ts'
import { actsAsSeller } from '../../kernel/auth/principal.ts'
import { dataOf } from '../../kernel/body/input.ts'
import { type Action, action } from '../../kernel/declare/action.ts'
import type { Call } from '../../kernel/declare/call.ts'
import type { Resource } from '../../kernel/declare/resource.ts'
import { invalidField, missingField, Problem } from '../../kernel/errors.ts'
import { chosenIdMax, isId } from '../../kernel/ids.ts'
import { currentDefinition } from '../../kernel/query/definitions.ts'
import { resolveId } from '../../kernel/query/find.ts'
import { create, get, list, update } from '../../kernel/request/operations.ts'
import { readSingleton } from '../../kernel/request/singletons.ts'
import type { Answer } from '../../kernel/shape/answer.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { remove } from '../../kernel/write/by-rules.ts'
import { storeSettings } from '../../store/index.ts'
import { emptyCoreEntry, getCoreEntry, listCoreEntries, updateCoreEntry } from './core-entries.ts'
import { entries } from './entries.ts'
import { withValueFilters } from './entry-filters.ts'
import { bodyWith, entrySchemas, flowEntry } from './entry-schemas.ts'
import { entryName, type FlowRef, findFlow, flowName } from './find-flow.ts'
import { includedBeside, includeEntries, includeQuery } from './include-entries.ts'
import { entriesOfTemplates } from './template-entries.ts'

const path = '/v2/flows/:flow_id/entries'
const shared = { area: 'flow-entries', params: { flow_id: flowName } } as const
const ofOne = { area: 'flow-entries', params: { flow_id: flowName, id: entryName } } as const

/** The resource of the entries of a flow that is not a core flow. */
export const entriesOf = ({ kind }: FlowRef): Resource => (kind === 'template' ? entriesOfTemplates : entries)

/** The flow that a request names, if this caller may use its entries. */
async function findOpenFlow(ctx: Ctx, { flow_id }: { readonly flow_id: string }): Promise<FlowRef> {
  const flow = await findFlow(ctx, flow_id)
  const { instance, who } = ctx
  // Only callers who can see the objects can see the added fields.
  if (flow.kind === 'core' && !actsAsSeller(who)) throw wrongToken(instance, who, ['client_credentials'])
  if (flow.kind === 'template') await mayReadTemplates(ctx)
  return flow
}

const idIn = (ctx: Ctx, flow: FlowRef, id: string) => resolveId(ctx, entriesOf(flow), [flow.id], id)

/** The operations of entries. Entries of core flows are parts of the extended objects. */
export const flowEntryOperations: readonly Action[] = [
  action({
    name: 'list-flow-entries',
    route: `GET ${path}`,
    about:
      'Lists the entries of a flow, a page at a time, the newest first. The list of a core flow contains the objects that have a ' +
      'value in one of its fields. Only `client_credentials` read the entries of core flows.',
    ...shared,
    status: 200,
    query: includeQuery,
    shows: { page: true, data: flowEntry, beside: includedBeside },
    async run(ctx, { rawBody: _, ...call }) {
      const flow = await findOpenFlow(ctx, call.params)
      const read = flow.kind === 'core' ? listCoreEntries : listEntries
      return includeEntries(ctx, call.query, flow, () => read(ctx, flow, call))
    },
  }),

  action({
    name: 'create-flow-entry',
    route: `POST ${path}`,
    about:
      'Creates an entry of a flow. An entry of a template needs the id of a product, and an entry of a core flow the id of the ' +
      'object that it extends. If the entry already exists, it is updated.',
    ...shared,
    status: 201,
    rawBodies: bodyWith(entrySchemas.created),
    shows: { data: flowEntry, etag: true },
    async run(ctx, { rawBody, ...call }) {
      const flow = await findOpenFlow(ctx, call.params)
      const sent = { ...call, body: rawBody }
      if (flow.kind === 'core') return updateCoreEntry(ctx, flow, objectIdIn(rawBody), sent, 201)
      if (flow.kind === 'custom') {
        mayHaveId(rawBody)
        return create(ctx, entries, [flow.id], sent)
      }
      return upsert(ctx, flow, productIdIn(rawBody), sent)
    },
  }),

  action({
    name: 'get-flow-entry',
    route: `GET ${path}/:id`,
    about: 'Reads an entry of a flow. Only `client_credentials` read the entries of core flows.',
    ...ofOne,
    status: 200,
    query: includeQuery,
    shows: { data: flowEntry, beside: includedBeside, etag: true },
    async run(ctx, { rawBody: _, ...call }) {
      const flow = await findOpenFlow(ctx, call.params)
      return includeEntries(ctx, call.query, flow, async () =>
        flow.kind === 'core'
          ? getCoreEntry(ctx, flow, call.params.id)
          : get(ctx, entriesOf(flow), [flow.id], await idIn(ctx, flow, call.params.id), call),
      )
    },
  }),

  action({
    name: 'update-flow-entry',
    route: `PUT ${path}/:id`,
    about: 'Updates an entry. Fields that are not sent keep their values.',
    ...ofOne,
    refuses: ['precondition_failed'],
    status: 200,
    rawBodies: bodyWith(entrySchemas.changed),
    shows: { data: flowEntry, etag: true },
    async run(ctx, { rawBody, ...call }) {
      const flow = await findOpenFlow(ctx, call.params)
      const sent = { ...call, body: rawBody }
      if (flow.kind === 'core') return updateCoreEntry(ctx, flow, call.params.id, sent, 200)
      return update(ctx, entriesOf(flow), [flow.id], await idIn(ctx, flow, call.params.id), sent)
    },
  }),

  action({
    name: 'delete-flow-entry',
    route: `DELETE ${path}/:id`,
    about: 'Deletes an entry. For a core flow, this clears the values of its fields; the object stays.',
    ...ofOne,
    refuses: ['precondition_failed'],
    status: 204,
    async run(ctx, { params, ifMatch }) {
      const flow = await findOpenFlow(ctx, params)
      if (flow.kind === 'core') return emptyCoreEntry(ctx, flow, params.id, ifMatch)
      return remove(ctx, entriesOf(flow), [flow.id], await idIn(ctx, flow, params.id), { ifMatch })
    },
  }),
]

async function listEntries(ctx: Ctx, flow: FlowRef, call: Call): Promise<Answer> {
  const own = await currentDefinition(ctx, entriesOf(flow), [flow.id])
  return list(ctx, withValueFilters(own), [flow.id], call)
}

/** Refuses shoppers if the setting says so: template entries exist for drafts too. */
async function mayReadTemplates(ctx: Ctx): Promise<void> {
  if (actsAsSeller(ctx.who)) return
  const { shoppers_read_template_entries: mayRead } = await readSingleton(ctx, storeSettings)
  if (!mayRead) throw new Problem('forbidden', 'Shoppers of this store cannot read the entries of templates.')
}

/** The id of the object that an entry of a core flow is part of. Clients may have chosen it. */
function objectIdIn(body: unknown): string {
  const { id } = dataOf(body)
  if (id === undefined || id === null) throw asUnprocessable(missingField('data.id'))
  if (typeof id === 'string' && id.length > 0 && id.length <= chosenIdMax) return id
  throw invalidField('data.id', `must be a text of 1 to ${chosenIdMax} characters`, 'unprocessable')
}

/** The id of the product that an entry of a template is for. */
function productIdIn(body: unknown): string {
  const id = objectIdIn(body)
  if (isId(id)) return id.toLowerCase()
  throw invalidField('data.id', 'must be a UUID', 'unprocessable')
}

/** An entry of no object gets a new id: clients may send that of the entry that they copy. */
function mayHaveId(body: unknown): void {
  if (dataOf(body).id !== undefined) objectIdIn(body)
}

const asUnprocessable = ({ detail }: Problem) => new Problem('unprocessable', detail, { source: 'data.id' })

/** The body of a request that writes an entry. */
type EntryBody = Parameters<typeof create>[3]

async function upsert(ctx: Ctx, flow: FlowRef, id: string, sent: EntryBody): Promise<Answer> {
  // Of two concurrent creates, the second waits and finds the entry of the first.
  await ctx.store.advisoryLock(`flow-entry ${flow.id} ${id}`)
  const existing = await ctx.store.find(entriesOfTemplates, id, [flow.id])
  if (!existing) return create(ctx, entriesOfTemplates, [flow.id], sent, id)
  return { ...(await update(ctx, entriesOfTemplates, [flow.id], id, sent)), status: 201 }
}

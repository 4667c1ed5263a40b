import { type Action, action } from '../../kernel/declare/action.ts'
import type { Call } from '../../kernel/declare/call.ts'
import { hook } from '../../kernel/declare/hook.ts'
import { notFound, Problem } from '../../kernel/errors.ts'
import { objectAnswer } from '../../kernel/http/object-answer.ts'
import { named } from '../../kernel/openapi/named-schemas.ts'
import { list } from '../../kernel/request/operations.ts'
import { choice, describe, type Fields, type JsonSchema, text } from '../../kernel/shape/fields.ts'
import type { Ctx, Work } from '../../kernel/work/context.ts'
import { remove } from '../../kernel/write/by-rules.ts'
import { type ApiDefinition, findDefinition, type Naming, withDefinition } from './definition.ts'
import { entryMetaSchema } from './entries.ts'
import { readValues } from './entry-values.ts'
import { exactTotals } from './extension-envelope.ts'
import { type EntryName, findEntry, findEntryId, findExistingId } from './find-entry.ts'
import { timeout, within } from './list-timeout.ts'
import { changeEntry, createEntry, sentPart, upsertEntry } from './write-entry.ts'

/** The schemas of entries of any custom API. The document of a store has the fields of each. */

const values = { description: 'The fields of the custom API, by slug.' }
const type = { type: 'string', description: 'The api_type of the custom API.' }

const entrySchema = named('CustomEntry', {
  type: 'object',
  required: ['type', 'id', 'meta', 'links'],
  properties: {
    type,
    id: { type: 'string', format: 'uuid' },
    meta: entryMetaSchema,
    links: { type: 'object', required: ['self'], properties: { self: { type: 'string' } } },
  },
  additionalProperties: values,
})

const sentSchema = named('NewCustomEntry', {
  type: 'object',
  required: ['type'],
  properties: { type },
  additionalProperties: values,
})

/** For the API document: the body of a request that sends an entry. */
const entryBody: Readonly<Record<string, JsonSchema>> = {
  'application/json': { type: 'object', required: ['data'], properties: { data: sentSchema } },
}

const entryEnvelope: JsonSchema = {
  type: 'object',
  required: ['data'],
  properties: { data: entrySchema },
}

/**
 * An address of entries. Clients use the slug of the API, tools that do not know it use the id. The responses are
 * equal.
 */
interface EntryAddress {
  readonly path: string
  /** The end of the names of the operations. */
  readonly suffix: string
  /** What the path has of the custom API. With the slug, it can have the URL slug of an entry in place of its id. */
  readonly by: Naming['column']
  /** The path parameters that are not ids, without and with the parameter of the entry. */
  readonly params: Fields
  readonly entryParams: Fields
}

const slug = text({ about: 'The slug of the custom API.' })
const totalMethod = choice(['exact', 'lower_bound', 'observed'], {
  about: 'Accepted for compatibility; the total is always exact.',
})

const addresses: readonly EntryAddress[] = [
  {
    path: '/v2/extensions/:custom_api_slug',
    suffix: '',
    by: 'slug',
    params: { custom_api_slug: slug },
    entryParams: {
      custom_api_slug: slug,
      id: text({ about: 'The id of the entry, or the value of its URL slug field.' }),
    },
  },
  {
    path: '/v2/settings/extensions/custom-apis/:custom_api_id/entries',
    suffix: '-in-settings',
    by: 'id',
    params: {},
    // Only ids lead to entries here.
    entryParams: {},
  },
]

const apiIn = ({ by }: EntryAddress, params: Call['params']): Naming => ({
  column: by,
  value: params[`custom_api_${by}`] ?? '',
})
const entryIn = ({ by }: EntryAddress, { id: name = '' }: Call['params']): EntryName => ({
  name,
  byUrlSlug: by === 'slug',
})

/** Whether the caller's role has this right for the entries of the custom API. */
export const mayUseEntries =
  hook<(ctx: Ctx, customApiId: string, right: EntryRight) => Promise<boolean>>('mayUseEntries')

async function mustUse(ctx: Ctx, customApiId: string, right: EntryRight): Promise<void> {
  if (await mayUseEntries(ctx, customApiId, right)) return
  const { kind } = ctx.who
  throw new Problem(
    'forbidden',
    'You do not have permission to access this resource. It needs a client_credentials token, or a role policy ' +
      `that allows requests with this kind of token (${kind}) to ${right} entries.`,
  )
}

export type EntryRight = 'create' | 'list' | 'read' | 'update' | 'delete'

const mayRepeat =
  (address: EntryAddress, right: EntryRight) =>
  async (ctx: Ctx, { params }: { readonly params: Call['params'] }) =>
    mustUse(ctx, (await findDefinition(ctx, apiIn(address, params))).id, right)

const operationsAt = (address: EntryAddress): readonly Action[] => [
  action({
    name: `list-custom-entries${address.suffix}`,
    route: `GET ${address.path}`,
    about: 'Lists the entries of a custom API, a page at a time.',
    area: 'custom-entries',
    status: 200,
    query: { timeout, 'page[total_method]': totalMethod },
    params: address.params,
    refuses: ['timed_out'],
    shows: { page: true, data: entrySchema, meta: { results: describe(exactTotals.fields.results) } },
    async run(ctx, { rawBody: _, ...call }) {
      return within(ctx, call.query, async (ctx) => {
        const api = await findDefinition(ctx, apiIn(address, call.params))
        await mustUse(ctx, api.id, 'list')
        return list(ctx, api.entries, [api.id], { ...call, body: undefined })
      })
    },
  }),

  action({
    name: `create-custom-entry${address.suffix}`,
    route: `POST ${address.path}`,
    about: 'Creates an entry of a custom API.',
    area: 'custom-entries',
    status: 201,
    params: address.params,
    rawBodies: entryBody,
    shows: { data: entrySchema, etag: true },
    mayRepeat: mayRepeat(address, 'create'),
    async run(ctx, { params, rawBody }) {
      return withDefinition(ctx, apiIn(address, params), async (api) => {
        await mustUse(ctx, api.id, 'create')
        const row = await createEntry(ctx, api, await readValues(api, rawBody), ctx.chosenId)
        return row && objectAnswer(201, api.entries, row, ctx)
      })
    },
  }),

  action({
    name: `get-custom-entry${address.suffix}`,
    route: `GET ${address.path}/:id`,
    about: 'Reads an entry of a custom API.',
    area: 'custom-entries',
    status: 200,
    params: address.entryParams,
    shows: { data: entrySchema, etag: true },
    async run(ctx, { params }) {
      const { api, entry } = await findEntry(ctx, apiIn(address, params), entryIn(address, params))
      await mustUse(ctx, api.id, 'read')
      if (!entry) throw notFound('custom entry', params.id)
      return objectAnswer(200, api.entries, entry, ctx)
    },
  }),

  action({
    name: `update-custom-entry${address.suffix}`,
    route: `PUT ${address.path}/:id`,
    about:
      'Updates an entry of a custom API. Fields that are not sent keep their values. If the custom API allows upserts, ' +
      'an entry that does not exist is created.',
    area: 'custom-entries',
    status: 200,
    params: address.entryParams,
    refuses: ['precondition_failed'],
    rawBodies: entryBody,
    shows: { data: entrySchema, etag: true, others: { 201: entryEnvelope } },
    mayRepeat: mayRepeat(address, 'update'),
    async run(ctx, { params, rawBody, ifMatch }) {
      const api = await findDefinition(ctx, apiIn(address, params), true)
      await mustUse(ctx, api.id, 'update')
      const values = await readValues(api, rawBody)
      const entry = entryIn(address, params)
      const changeAt = async (id: string) => {
        const row = await changeEntry(ctx, api, id, values, ifMatch)
        const mayRead = await mayUseEntries(ctx, api.id, 'read')
        return objectAnswer(200, api.entries, mayRead ? row : sentPart(row, values), ctx)
      }
      if (!api.doc.allow_upserts) return changeAt(await mustFindId(ctx, api, entry))
      let id = await findExistingId(ctx, api, entry)
      if (id === undefined) {
        // Of two concurrent creates, the second waits and finds the entry of the first.
        await waitForTurn(ctx, api, entry)
        id = await findExistingId(ctx, api, entry)
      }
      if (id !== undefined) return changeAt(id)
      await mustUse(ctx, api.id, 'create')
      return objectAnswer(201, api.entries, await upsertEntry(ctx, api, entry, values, ifMatch), ctx)
    },
  }),

  action({
    name: `delete-custom-entry${address.suffix}`,
    route: `DELETE ${address.path}/:id`,
    about: 'Deletes an entry of a custom API.',
    area: 'custom-entries',
    status: 204,
    params: address.entryParams,
    refuses: ['precondition_failed'],
    mayRepeat: mayRepeat(address, 'delete'),
    async run(ctx, { params, ifMatch }) {
      const api = await findDefinition(ctx, apiIn(address, params))
      await mustUse(ctx, api.id, 'delete')
      const id = await mustFindId(ctx, api, entryIn(address, params))
      return remove(ctx, api.entries, [api.id], id, { ifMatch })
    },
  }),
]

/** The operations of entries, at both addresses. The definition cannot change during a write. */
export const customEntryOperations: readonly Action[] = addresses.flatMap(operationsAt)

async function mustFindId(ctx: Ctx, api: ApiDefinition, entry: EntryName): Promise<string> {
  const id = await findEntryId(ctx, api, entry)
  if (id === undefined) throw notFound('custom entry', entry.name)
  return id
}

/** Locks the address until the end of the transaction, so that no other transaction creates an entry there. */
const waitForTurn = (work: Work, { id }: ApiDefinition, { name }: EntryName): Promise<void> =>
  work.store.advisoryLock(`${id} ${name.toLowerCase()}`)

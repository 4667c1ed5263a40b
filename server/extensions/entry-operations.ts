import { type Action, action } from '../kernel/declare/action.ts'
import { hook } from '../kernel/declare/hook.ts'
import type { Resource } from '../kernel/declare/resource.ts'
import { notFound, Problem } from '../kernel/errors.ts'
import { objectAnswer } from '../kernel/http/object-answer.ts'
import { isId } from '../kernel/ids.ts'
import { findId } from '../kernel/query/find.ts'
import { list } from '../kernel/request/operations.ts'
import { choice, describe, type Fields, text } from '../kernel/shape/fields.ts'
import type { Row } from '../kernel/shape/model.ts'
import type { Ctx } from '../kernel/work/context.ts'
import { change, remove } from '../kernel/write/by-rules.ts'
import { answerWriter } from './answer-writer.ts'
import { createEntry } from './create-entry.ts'
import { type Definition, findDefinition, type Naming, withDefinition } from './definition.ts'
import { entryBody, entryEnvelope, entrySchema } from './entry-schemas.ts'
import { mustBeAccepted, readValues } from './entry-values.ts'
import { exactTotals } from './exact-totals.ts'
import { findEntry, waitForTurn } from './find-entry.ts'
import { timeout, within } from './list-timeout.ts'
import { namingTheField } from './taken-value.ts'

/**
 * An address of entries. Clients use the slug of the API, tools that do not know it use the id. The responses are
 * equal.
 */
interface Address {
  readonly path: string
  /** The end of the names of the operations. */
  readonly suffix: string
  readonly naming: (params: Params) => Naming
  /** Whether the path can have the URL slug of an entry in place of its id. */
  readonly byUrlSlug: boolean
  /** The path parameters that are not ids, without and with the parameter of the entry. */
  readonly params: Fields
  readonly entryParams: Fields
}

type Params = Readonly<Record<string, string>>

const slug = text({ about: 'The slug of the custom API.' })
const totalMethod = choice(['exact', 'lower_bound', 'observed'], {
  about: 'Accepted for compatibility; the total is always exact.',
})

const addresses: readonly Address[] = [
  {
    path: '/v2/extensions/:custom_api_slug',
    suffix: '',
    naming: ({ custom_api_slug = '' }) => ({ column: 'slug', value: custom_api_slug }),
    byUrlSlug: true,
    params: { custom_api_slug: slug },
    entryParams: {
      custom_api_slug: slug,
      id: text({ about: 'The id of the entry, or the value of its URL slug field.' }),
    },
  },
  {
    path: '/v2/settings/extensions/custom-apis/:custom_api_id/entries',
    suffix: '-in-settings',
    naming: ({ custom_api_id = '' }) => ({ column: 'id', value: custom_api_id }),
    byUrlSlug: false,
    params: {},
    // Only ids lead to entries here.
    entryParams: {},
  },
]

/** Whether the caller's role has this right for the entries of the custom API. */
export const mayUseEntries =
  hook<(ctx: Ctx, customApiId: string, right: Right) => Promise<boolean>>('mayUseEntries')

async function mustUse(ctx: Ctx, customApiId: string, right: Right): Promise<void> {
  if (await mayUseEntries(ctx, customApiId, right)) return
  const { kind } = ctx.who
  throw new Problem(
    'forbidden',
    'You do not have permission to access this resource. It needs a client_credentials token, or a role policy ' +
      `that allows requests with this kind of token (${kind}) to ${right} entries.`,
  )
}

type Right = 'create' | 'list' | 'read' | 'update' | 'delete'

const mayRepeat =
  (address: Address, right: Right) =>
  async (ctx: Ctx, { params }: { readonly params: Params }) =>
    mustUse(ctx, (await findDefinition(ctx, address.naming(params))).id, right)

const operationsAt = (address: Address): readonly Action[] => [
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
        const api = await findDefinition(ctx, address.naming(call.params))
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
      return withDefinition(ctx, address.naming(params), async (api) => {
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
      const { api, entry } = await findEntry(
        ctx,
        address.naming(params),
        requestedId(params),
        address.byUrlSlug,
      )
      await mustUse(ctx, api.id, 'read')
      if (!entry) throw missing(requestedId(params))
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
      const api = await findDefinition(ctx, address.naming(params), true)
      await mustUse(ctx, api.id, 'update')
      const values = await readValues(api, rawBody)
      const changeEntry = async (id: string) => {
        const row = await namingTheField(api, change(ctx, api.entries, [api.id], id, values, ifMatch))
        return answerWriter(ctx, api.entries, row, values, await mayUseEntries(ctx, api.id, 'read'))
      }
      if (!api.allowUpserts) return changeEntry(await findEntryId(ctx, api, address, params))
      let id = await findExistingId(ctx, api, address, params)
      if (id === undefined) {
        // Of two concurrent creates, the second waits and finds the entry of the first.
        await waitForTurn(ctx, api, requestedId(params))
        id = await findExistingId(ctx, api, address, params)
      }
      if (id !== undefined) return changeEntry(id)
      await mustUse(ctx, api.id, 'create')
      return upsert(ctx, api, address, requestedId(params), values, ifMatch)
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
      const api = await findDefinition(ctx, address.naming(params))
      await mustUse(ctx, api.id, 'delete')
      const id = await findEntryId(ctx, api, address, params)
      return remove(ctx, api.entries, [api.id], id, { ifMatch })
    },
  }),
]

/** The operations of entries, at both addresses. The definition cannot change during a write. */
export const entryOperations: readonly Action[] = addresses.flatMap(operationsAt)

const requestedId = ({ id = '' }: Params) => id

/** The id of the entry that the URL names by id or slug. */
const resolveId = async (ctx: Ctx, { entries, id }: Definition, { byUrlSlug }: Address, params: Params) =>
  findId(ctx, byUrlSlug ? entries : withoutKey(entries), [id], requestedId(params))

const withoutKey = ({ key: _, ...entries }: Resource): Resource => entries

async function findEntryId(ctx: Ctx, api: Definition, address: Address, params: Params): Promise<string> {
  const id = await resolveId(ctx, api, address, params)
  if (id === undefined) throw missing(requestedId(params))
  return id
}

const missing = (id: string) => notFound('custom entry', id)

/** The id of the entry; undefined if it does not exist. */
async function findExistingId(
  ctx: Ctx,
  api: Definition,
  address: Address,
  params: Params,
): Promise<string | undefined> {
  const id = await resolveId(ctx, api, address, params)
  return id !== undefined && (await ctx.store.find(api.entries, id, [api.id])) ? id : undefined
}

async function upsert(
  ctx: Ctx,
  api: Definition,
  { byUrlSlug }: Address,
  name: string,
  values: Record<string, unknown>,
  ifMatch: string | undefined,
) {
  if (ifMatch !== undefined) {
    const detail = `The provided ETag '${ifMatch}', does not match the current ETag: there is no such entry.`
    throw new Problem('precondition_failed', detail)
  }
  const { urlSlug } = api
  const namedValues = byUrlSlug && urlSlug ? nameByUrl(urlSlug, name, values) : undefined
  if (!namedValues && !isId(name)) {
    throw new Problem('invalid_field', `The id of an entry must be a UUID, not ${name}.`, { source: 'id' })
  }
  const entry = await createEntry(
    ctx,
    api,
    namedValues ?? values,
    namedValues ? undefined : name.toLowerCase(),
  )
  // The definition is locked, so there is an entry.
  return objectAnswer(201, api.entries, entry as Row, ctx)
}

/** Takes the URL slug from the URL, so that the body need not repeat it. */
function nameByUrl(
  urlSlug: NonNullable<Definition['urlSlug']>,
  name: string,
  values: Record<string, unknown>,
): Record<string, unknown> {
  const { slug } = urlSlug
  mustBeAccepted(urlSlug, name)
  if (Object.hasOwn(values, slug) && values[slug] !== name) {
    const detail = `Validation failed: data.${slug} must be ${JSON.stringify(name)}, as in the URL.`
    throw new Problem('invalid_field', detail, { source: `data.${slug}` })
  }
  return { ...values, [slug]: name }
}

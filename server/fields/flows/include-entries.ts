import { Readable } from 'node:stream'
import type { Operation } from '../../kernel/declare/operation.ts'
import type { Resource } from '../../kernel/declare/resource.ts'
import { Problem } from '../../kernel/errors.ts'
import { objectText } from '../../kernel/http/object-text.ts'
import { readUpTo } from '../../kernel/http/reading/read-up-to.ts'
import { isId } from '../../kernel/ids.ts'
import { currentDefinition } from '../../kernel/query/definitions.ts'
import { parse } from '../../kernel/query/parse.ts'
import type { Answer } from '../../kernel/shape/answer.ts'
import { text } from '../../kernel/shape/fields.ts'
import { shown } from '../../kernel/shape/shown.ts'
import { rowColumns } from '../../kernel/storage/stored-row.ts'
import { untilWritten } from '../../kernel/storage/until-written.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { entries } from './entries.ts'
import { slugsUnder } from './kinds.ts'

/** The most entries that a response includes, */
const entriesMax = 1000
/** and the most bytes of them, and of the response beside them. */
const bytesMax = 2 * 1024 * 1024

/** For the API document of operations on entries: the parameter, and what they answer beside the entries. */
export const includeQuery = {
  include: text({
    about: 'The fields of the type relationship whose entries to include, separated by commas.',
    example: 'couriers',
  }),
}
export const includedBeside = {
  included: shown.as({ type: 'object', description: 'The entries, by field.', additionalProperties: true }),
}

/** Flows that add fields: the core flows of a resource, by their slugs, or one by its id. */
type Flows = { readonly slugs: readonly string[] } | { readonly id: string }

/**
 * Lets reads of extended objects include the entries that they link to: `include=` may name a field of the type
 * relationship.
 */
export function withIncludedEntries<M extends { readonly operations: readonly Operation[] }>(
  modules: readonly M[],
): readonly M[] {
  const including = (operation: Operation): Operation => {
    const { addedUnder } = resourceReadBy(operation) ?? {}
    const slugs = typeof addedUnder === 'string' ? slugsUnder(addedUnder) : undefined
    if (!slugs) return operation
    return {
      ...operation,
      includesLinked: true,
      run: (ctx, call) => includeEntries(ctx, call.query, { slugs }, () => operation.run(ctx, call)),
    }
  }
  return modules.map((module) => ({ ...module, operations: module.operations.map(including) }))
}

/** The resource whose objects an operation reads. Where `included` is a list, it has no room for others. */
function resourceReadBy({ method, of }: Operation): Resource | undefined {
  if (method !== 'GET') return undefined
  const resource =
    of.is === 'resource' ? of.resource : of.is === 'action' ? of.action.shows?.resource : undefined
  const isList = Object.values(resource?.include ?? {}).some(({ under }) => under === undefined)
  return isList ? undefined : resource
}

interface LinkingObject {
  readonly relationships?: Readonly<Record<string, { readonly data?: LinkedEntries } | undefined>>
}

type LinkedEntries = { readonly id: string } | readonly { readonly id: string }[] | null

interface AnswerBody {
  readonly data: LinkingObject | readonly LinkingObject[]
  readonly included?: Readonly<Record<string, unknown>>
}

/** What `read` answers, with the entries that its objects link to, under the slug of the field. */
export async function includeEntries(
  ctx: Ctx,
  query: string,
  flows: Flows,
  read: () => Promise<Answer>,
): Promise<Answer> {
  const { include } = parse(query)
  if (!include.length || ctx.lines) return read()
  // Together, so that both statements are on their way at once.
  const [names, answer] = await Promise.all([findRelationships(ctx, flows, include), read()])
  if (!names.length || answer.status !== 200) return answer
  const body = JSON.parse(await readText(answer.body)) as AnswerBody
  const idsOf = (name: string): readonly string[] =>
    [body.data].flat().flatMap((one) => [one.relationships?.[name]?.data ?? []].flat().map(({ id }) => id))
  const found = await findEntries(ctx, names.flatMap(idsOf))
  const lists = names.map(
    (name) => [name, [...new Set(idsOf(name))].flatMap((id) => found.get(id) ?? [])] as const,
  )
  // Entries change without the object, so its tag does not stand for the answer.
  const { etag: _, ...headers } = answer.headers ?? {}
  return {
    ...answer,
    headers,
    body: JSON.stringify({ ...body, included: { ...body.included, ...Object.fromEntries(lists) } }),
  }
}

/**
 * The text of an answer: that of a cart is ready as bytes, and long pages are made while they are sent. A longer one
 * would hold up others while it is parsed.
 */
async function readText(body: Answer['body']): Promise<string> {
  if (typeof body === 'string') return body
  const detail = `A response with entries of flows has at most ${bytesMax} bytes without them. Read fewer objects at a time, with a smaller page[limit].`
  const tooLong = () => new Problem('bad_request', detail, { source: 'include' })
  return (await readUpTo(body instanceof Readable ? body : [body], bytesMax, tooLong)).toString()
}

/** Those of the names that are relationships of the flows. */
async function findRelationships(
  { store }: Ctx,
  flows: Flows,
  names: readonly string[],
): Promise<readonly string[]> {
  const rows = await store.read(
    `SELECT DISTINCT f.doc->>'slug' FROM flow_fields f JOIN flows w ON w.store_id = f.store_id AND w.id = f.flow_id
     WHERE f.store_id = $1 AND ${'id' in flows ? 'w.id::text' : 'w.slug'} = ANY($2::text[])
       AND f.doc->>'slug' = ANY($3::text[]) AND f.doc->>'field_type' = 'relationship'
       AND f.doc->>'enabled' = 'true' AND w.doc->>'enabled' = 'true'`,
    'id' in flows ? [flows.id] : flows.slugs,
    names,
  )
  return rows.map(([slug]) => slug as string)
}

/** The entries of custom flows with these ids, as responses show them. Those of templates have the ids of products. */
async function findEntries(ctx: Ctx, ids: readonly string[]): Promise<ReadonlyMap<string, object>> {
  const wanted = [...new Set(ids.filter(isId))]
  if (wanted.length > entriesMax) {
    const detail = `A response includes at most ${entriesMax} entries, not ${wanted.length}. Read fewer objects at a time.`
    throw new Problem('bad_request', detail, { source: 'include' })
  }
  if (!wanted.length) return new Map()
  const flows = await ctx.store.read(
    `SELECT e.flow_id, sum(octet_length(e.doc::text))
     FROM flow_entries e JOIN flows w ON w.store_id = e.store_id AND w.id = e.flow_id
     WHERE e.store_id = $1 AND e.id = ANY($2::uuid[]) AND w.slug NOT LIKE 'products(%' GROUP BY e.flow_id`,
    wanted,
  )
  if (flows.reduce((sum, [, bytes]) => sum + Number(bytes), 0) > bytesMax) {
    const detail = `A response includes at most ${bytesMax} bytes of entries. Read fewer objects at a time.`
    throw new Problem('bad_request', detail, { source: 'include' })
  }
  const found = new Map<string, object>()
  for (const [flowId] of flows) {
    const own = await currentDefinition(ctx, entries, [flowId as string])
    const select =
      `SELECT ${rowColumns(own)} FROM flow_entries WHERE store_id = $1 AND flow_id = $2 AND id = ANY($3::uuid[])` as const
    const rows = await untilWritten(async () =>
      ctx.store.rowsOf(own, await ctx.store.read(select, flowId, wanted)),
    )
    for (const row of rows) found.set(row.id, JSON.parse(objectText(entries, row, ctx, true)) as object)
  }
  return found
}

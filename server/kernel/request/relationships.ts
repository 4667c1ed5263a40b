import { dataReader } from '../body/input.ts'
import type { Call } from '../declare/call.ts'
import {
  type Link,
  type LinkOperation,
  type LinksData,
  linksField,
  linkTypeOf,
  memberOf,
  type NewLinks,
  type Relationship,
} from '../declare/relationship.ts'
import { notFound, Problem } from '../errors.ts'
import { isId } from '../ids.ts'
import { findById, findByName, scopeOf } from '../query/find.ts'
import { isUnborn } from '../query/unborn.ts'
import { type Answer, json, noContent } from '../shape/answer.ts'
import { nounOf, type Row } from '../shape/model.ts'
import type { Ctx, Work } from '../work/context.ts'
import { answerList } from './export-list.ts'
import { findOrCreate } from './first-write.ts'
import { documentStorage, type LinkStorage, rowStorage } from './links.ts'

const storageOf = (of: Relationship): LinkStorage =>
  'table' in of.storage
    ? rowStorage(of.owner(), { ...of.target(), type: linkTypeOf(of) }, of.storage)
    : documentStorage(of.owner(), of.storage, of.holds)

/** Runs one operation of a relationship. */
export async function linkOperation(
  ctx: Ctx,
  of: Relationship,
  name: LinkOperation,
  call: Call,
): Promise<Answer> {
  const owner = of.owner()
  const scope = await scopeOf(ctx, owner, call.params)
  const ownerId = call.params[lastParameter(of)] ?? ''
  if (name === 'list') return list(ctx, of, await findByName(ctx, owner, ownerId, scope), call)
  const input = name === 'remove' && of.holds === 'one' ? [] : linksIn(of, call.body)
  const first = owner.unborn && name !== 'remove'
  const row = first ? await findOrCreate(ctx, owner, ownerId) : await findByName(ctx, owner, ownerId, scope)
  if (name !== 'remove') await lockTargets(ctx, of, input, 'data')
  const links = isUnborn(row)
    ? []
    : await edit(ctx, of, { id: row.id, scope }, 'data', (links) => edits[name](of, links, input))
  const status = of.operations[name] ?? 200
  return status === 204 ? noContent : json(status, { data: toData(of, links), links: linksTo(ctx, of, call) })
}

const lastParameter = ({ path }: Relationship): string => [...path.matchAll(/:(\w+)/g)].at(-1)?.[1] ?? ''

/** The new links for each operation. Existing links stay as they are. */
const edits = {
  add: ({ holds }: Relationship, links: readonly Link[], input: readonly Link[]) =>
    holds === 'one' ? input : [...links, ...input.filter(({ id }) => !has(links, id))],
  replace: (_of: Relationship, links: readonly Link[], input: readonly Link[]) =>
    input.map((link) => (link.meta ? link : (links.find(({ id }) => id === link.id) ?? link))),
  remove: ({ holds }: Relationship, links: readonly Link[], input: readonly Link[]) =>
    holds === 'one' ? [] : links.filter(({ id }) => !has(input, id)),
} as const

const has = (links: readonly Link[], id: string) => links.some((link) => link.id === id)

/** The links in a body, without duplicates; refuses an invalid body. */
const linksIn = (of: Relationship, body: unknown): readonly Link[] => eachOnce(readerOf(of)(body))

const eachOnce = (data: LinksData): readonly Link[] => {
  const links = data === null ? [] : [data].flat()
  return [...new Map(links.map((link) => [link.id, link])).values()]
}

type LinksReader = (body: unknown) => LinksData

const readers = new WeakMap<Relationship, LinksReader>()

function readerOf(of: Relationship): LinksReader {
  const cached = readers.get(of)
  if (cached) return cached
  const read = dataReader(linksField(of)) as LinksReader
  readers.set(of, read)
  return read
}

/**
 * Refuses links to missing objects, and locks the others so that they cannot be deleted before the links are stored.
 * `at` is the position of the links in the body.
 */
async function lockTargets(
  work: Work,
  { target, holds }: Relationship,
  links: readonly Link[],
  at: string,
): Promise<void> {
  const of = target()
  const existing = await work.store.lockShared(of, ...links.map(({ id }) => id))
  const missing = links.findIndex(({ id }) => !existing.has(id))
  if (missing < 0) return
  const source = holds === 'one' ? `${at}.id` : `${at}.${missing}.id`
  throw notFound(nounOf(of), links[missing]?.id, { source })
}

/** Changes the links of the owner; writes nothing if they stay the same. Needs a transaction. */
async function edit(
  work: Work,
  of: Relationship,
  { id: ownerId, scope }: Pick<Row, 'id' | 'scope'>,
  at: string,
  change: (links: readonly Link[]) => readonly Link[],
): Promise<readonly Link[]> {
  // Requests for the same owner wait for each other, so that no change is lost.
  await work.store.lock(of.owner(), ownerId)
  const owner = await findById(work, of.owner(), ownerId, scope)
  const storage = storageOf(of)
  const before = await storage.read(work, owner)
  const after = change(before)
  if (storage.areSame(before, after)) return before
  const { n, detail } = of.most
  if (after.length > n) throw new Problem('unprocessable', detail(n), { source: at })
  await storage.write(work, owner, before, after)
  await of.afterEdit?.(work, ownerId, after)
  return after
}

async function list(ctx: Ctx, of: Relationship, owner: Row, call: Call): Promise<Answer> {
  if (!isUnborn(owner)) ctx.onRead(of.owner(), owner)
  const storage = storageOf(of)
  if (!storage.rows || of.holds === 'one') {
    return json(200, { data: toData(of, await storage.read(ctx, owner)), links: linksTo(ctx, of, call) })
  }
  return answerList(ctx, call, { source: { resource: storage.rows, scope: [owner.id] } })
}

const toData = ({ holds }: Relationship, links: readonly Link[]): unknown =>
  holds === 'many' ? links : (links[0] ?? null)

/** The canonical URL, however the client spelled the path. */
const linksTo = (ctx: Ctx, { path }: Relationship, { params }: Call) => ({
  self: ctx.baseUrl + path.replace(/:(\w+)/g, (_, name: string) => toPathSegment(params[name] ?? '')),
})

const toPathSegment = (name: string) => (isId(name) ? name.toLowerCase() : encodeURIComponent(name))

/** The links for this relationship in the body of a create, without duplicates. */
export const linksOfNew = (of: Relationship, input: NewLinks | null | undefined): readonly Link[] =>
  eachOnce(input?.[memberOf(of)]?.data ?? null)

/** Gives a new owner its links, as `add` does. Needs a transaction. */
export async function addNewLinks(
  work: Work,
  of: Relationship,
  owner: Pick<Row, 'id' | 'scope'>,
  links: readonly Link[],
): Promise<void> {
  const at = `data.relationships.${memberOf(of)}.data`
  await lockTargets(work, of, links, at)
  await edit(work, of, owner, at, (before) => edits.add(of, before, links))
}

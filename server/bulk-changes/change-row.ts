import type { Principal } from '../kernel/auth/principal.ts'
import type { Incoming, Operation } from '../kernel/declare/operation.ts'
import type { Resource } from '../kernel/declare/resource.ts'
import { notFound, Problem } from '../kernel/errors.ts'
import { docsAtVersions } from '../kernel/feed/changes.ts'
import { type SourceOfList, sourceOfList } from '../kernel/request/source-of-list.ts'
import { etagOf } from '../kernel/shape/answer.ts'
import { flatten, type Members, place } from '../kernel/shape/envelope.ts'
import { nounOf, type Row } from '../kernel/shape/model.ts'
import { withAddedFields } from '../kernel/storage/added-fields.ts'
import { completeText } from '../kernel/storage/complete-text.ts'
import { changeThing } from '../kernel/thing/change-thing.ts'
import { Ctx, type Work } from '../kernel/work/context.ts'
import { change } from '../kernel/write/by-rules.ts'
import { mustMatchRow } from '../kernel/write/must-match.ts'
import { adjusted, restoring } from './body-of-row.ts'
import type { BulkChangeRow, RefusedObject } from './bulk-changes.ts'
import type { PartRow } from './parts.ts'
import type { ChangeableList } from './targets.ts'

/** The caller, as their work is done after the response. */
export type Author = Omit<Principal, 'shopper'>

/** The work of a job on behalf of a caller: each object changes as if they sent its update. */
export const asAuthor = ({ store, requestId, instance }: Work, who: Author): Ctx =>
  new Ctx({ store, who, requestId, instance, clientAddress: '', baseUrl: instance.baseUrl ?? '' })

/** A request of one of the target's operations. */
export const callOf = (
  { path, params }: ChangeableList,
  { method }: Operation,
  more: Partial<Incoming> & { readonly id?: string } = {},
): Incoming => ({
  ...{ method, query: '', headers: {}, ifMatch: undefined, body: undefined, upload: undefined },
  ...more,
  path: more.id === undefined ? path : `${path}/${more.id}`,
  params: more.id === undefined ? params : { ...params, id: more.id },
  hungUp: () => new AbortController().signal,
})

/** Where the objects of the target come from, if they match the filter. */
export async function rowsOf(ctx: Ctx, target: ChangeableList, filter?: string): Promise<SourceOfList> {
  const query = filter ? `filter=${encodeURIComponent(filter)}` : ''
  const found = await sourceOfList(ctx, target.list, callOf(target, target.list, { query }))
  if (found) return found
  throw new Problem('invalid_field', 'data.list must be the path of a list of objects.', {
    source: 'data.list',
  })
}

/** What changes in each object. */
export interface ChangePlan {
  readonly target: ChangeableList
  readonly source: SourceOfList['source']
  readonly change: Partial<Pick<BulkChangeRow['doc'], 'patch' | 'adjust'>>
}

/** The values from before, of the objects of an undo, by their ids. */
type EarlierValues = ReadonlyMap<string, Members | undefined>

/** Reads them from the audit. */
export async function valuesBefore(
  { store }: Work,
  resource: Resource,
  rows: readonly PartRow[],
): Promise<EarlierValues> {
  const back = rows.flatMap(({ id, backTo }) => (backTo === undefined ? [] : [{ id, version: backTo }]))
  if (!back.length) return new Map()
  const docs = await docsAtVersions(store, resource.table, back)
  return new Map(
    back.map(({ id }, i) => {
      const doc = docs[i]
      const text = doc === undefined ? undefined : completeText(resource, doc)
      return [id, text === undefined ? undefined : flatten(resource.envelope, JSON.parse(text) as Members)]
    }),
  )
}

/** Changes one object, as its update does; refuses it if it has changed since it was chosen. */
export async function changeRow(
  ctx: Ctx,
  plan: ChangePlan,
  row: PartRow,
  before: EarlierValues,
): Promise<void> {
  const { target, source, change: sent } = plan
  const { resource, scope } = source
  const current = await ctx.store.findWhole(resource, row.id, scope)
  if (!current) throw notFound(nounOf(resource), row.id)
  if (current.version !== row.version)
    throw new Problem('precondition_failed', 'It has changed since it was chosen.')
  const own = withAddedFields(resource, current.added)
  const { update } = target
  const send = (patch: Members) => {
    const id = update.of.is === 'resource' ? { id: row.id } : {}
    const data = { type: typeOf(resource, current.doc), ...patch, ...id }
    return update.run(ctx, callOf(target, update, { id: row.id, ifMatch: etagOf(current), body: { data } }))
  }
  if (row.backTo === undefined) {
    await send(adjusted(sent.patch ?? {}, place(own.envelope, current.doc), sent.adjust ?? []))
    return
  }
  const changes = restoring(own, mustBeKept(before.get(row.id)), current.doc)
  // A request can give a value, and cannot take one away that it must not send as null.
  if (update.of.is === 'resource') await putBack(ctx, resource, current, changes)
  else await send(place(own.envelope, changes))
}

async function putBack(ctx: Ctx, resource: Resource, current: Row, changes: Members): Promise<void> {
  const etag = etagOf(current)
  if (!resource.thing) {
    await change(ctx, resource, current.scope, current.id, changes, etag)
    return
  }
  await changeThing(ctx, resource, current.id, (before) => {
    mustMatchRow(before, etag)
    return { values: () => changes }
  })
}

/** In a list of mixed types, each object has its own. */
const typeOf = ({ type }: Resource, { type: own = type }: Members): unknown => own

function mustBeKept(values: Members | undefined): Members {
  if (values) return values
  throw new Problem('gone', 'The audit no longer has its values from before.')
}

/** A refusal of one object. */
export const toRefusal = (id: string, { code, message, source }: Problem): RefusedObject => ({
  object_id: id,
  code,
  detail: message,
  source,
})

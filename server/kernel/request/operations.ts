import { type Input, input } from '../body/input.ts'
import type { Call } from '../declare/call.ts'
import type { Resource } from '../declare/resource.ts'
import { objectAnswer } from '../http/object-answer.ts'
import { objectText } from '../http/object-text.ts'
import { listAnswer, pageInParts } from '../http/page-answer.ts'
import { readByDefinition } from '../query/definitions.ts'
import { both, findById, mustHaveParent, visibleCondition } from '../query/find.ts'
import { mergeThreshold, requestMerge } from '../query/merge-totals.ts'
import { fetchListed } from '../query/page.ts'
import { parse } from '../query/parse.ts'
import { portionsOf } from '../query/portions.ts'
import type { Source } from '../query/sql.ts'
import { type Answer, noContent } from '../shape/answer.ts'
import type { Changes, Fields } from '../shape/fields.ts'
import type { Row } from '../shape/model.ts'
import { isComplete } from '../storage/listed-rows.ts'
import type { Ctx, Work } from '../work/context.ts'
import { addBy, changeBy, type ReadBody, readOnce } from '../write/by-rules.ts'
import { exportList } from './export-list.ts'
import { includedParts, includedText } from './included.ts'

const inputs = new WeakMap<Resource, unknown>()

/** Reads bodies of the resource: see `Input`. */
export function inputOf<F extends Fields>(resource: Resource<F>): Input<F> {
  const cached = inputs.get(resource) as Input<F> | undefined
  if (cached) return cached
  const reader = input(resource)
  inputs.set(resource, reader)
  return reader
}

const inputsOfShoppers = new WeakMap<Resource, Input<Fields>>()

/** Reads the bodies of this caller: a store may close added fields to shoppers. */
function inputFor({ who }: Work, resource: Resource): Input<Fields> {
  const closed = who.shopper ? resource.added?.fields.filter((one) => one.closedToShoppers) : undefined
  if (!closed?.length) return inputOf(resource)
  const cached = inputsOfShoppers.get(resource)
  if (cached) return cached
  const names = new Set(closed.map(({ name }) => name))
  const open = Object.entries(resource.fields).filter(([name]) => !names.has(name))
  const reader = input({ ...resource, fields: Object.fromEntries(open) })
  inputsOfShoppers.set(resource, reader)
  return reader
}

/**
 * A page of the resource's objects, or an export of them; `where` adds a condition, and `beside` the members that
 * `include` means, after a comma.
 */
export async function list<F extends Fields>(
  ctx: Ctx,
  resource: Resource<F>,
  scope: readonly string[],
  call: Call,
  where?: Source['where'],
  beside?: (portions: () => AsyncIterable<readonly Row<F>[]>) => AsyncIterable<string>,
): Promise<Answer> {
  const query = parse(call.query)
  await mustHaveParent(ctx, resource, scope, call)
  const narrowed = both(visibleCondition(ctx, resource), where)
  const source = { resource, scope, ...(narrowed && { where: narrowed }) }
  if (ctx.takesSource) {
    ctx.takesSource(source, query)
    return noContent
  }
  if (ctx.lines) return exportList(ctx, query, { source })
  const page = await fetchListed(ctx, source, query)
  if (page.unmerged > mergeThreshold) requestMerge(ctx)
  const meta = await resource.listMeta?.of(ctx, query, page.total)
  const { rows } = page
  if (isComplete(rows) && !query.include.length)
    return listAnswer(resource, { ...page, rows }, ctx, call, meta)
  const portions = () => portionsOf(rows)
  async function* texts() {
    for await (const portion of portions()) yield portion.map((row) => objectText(resource, row, ctx, true))
  }
  async function* more() {
    yield* includedParts(ctx, resource, query.include, portions)
    if (beside) yield* beside(portions)
  }
  return pageInParts(texts(), page, ctx, call, meta, more())
}

export async function create(
  ctx: Ctx,
  resource: Resource,
  scope: readonly string[],
  call: Call,
  id?: string,
): Promise<Answer> {
  const read = readOnce((own: Resource) => inputFor(ctx, own).create(call.body))
  await readByDefinition(ctx, resource, scope, read)
  // Without a rule, and for callers who see all parents, the foreign key is enough.
  if (ctx.who.shopper || resource.beforeWrite) await mustHaveParent(ctx, resource, scope, call)
  return objectAnswer(201, resource, await addBy(ctx, resource, scope, read, id ?? ctx.chosenId), ctx)
}

export async function get(ctx: Ctx, resource: Resource, scope: readonly string[], id: string, call: Call) {
  const row = await findById(ctx, resource, id, scope, resource.unborn && call.params.id)
  const more = resource.include ? await includedText(ctx, resource, parse(call.query).include, row) : ''
  return objectAnswer(200, resource, row, ctx, more)
}

export const update = (ctx: Ctx, resource: Resource, scope: readonly string[], id: string, call: Call) =>
  updateBy(ctx, resource, scope, call, (read) => changeBy(ctx, resource, scope, id, read, call.ifMatch))

/** An update; `write` stores the changes. */
export async function updateBy(
  ctx: Ctx,
  resource: Resource,
  scope: readonly string[],
  call: Call,
  write: (read: ReadBody<Fields, Changes<Fields>>) => Promise<Row>,
): Promise<Answer> {
  const read = readOnce((own: Resource) => inputFor(ctx, own).update(call.body))
  await readByDefinition(ctx, resource, scope, read)
  return objectAnswer(200, resource, await write(read), ctx)
}

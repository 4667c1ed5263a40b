import { createHash } from 'node:crypto'
import type { Singleton } from '../../server/kernel/declare/singleton.ts'
import { bodyOf, valuesOf, withIds } from './body.ts'
import { buildChildren } from './children.ts'
import type { CopiedObject, CopyState } from './copy-state.ts'
import { entrySteps } from './entry-steps.ts'
import { createSpecially, isChild, matchKeyOf, unreadable } from './exceptions.ts'
import { copyGateways } from './gateways.ts'
import { copyLinks } from './links.ts'
import {
  detailOf,
  isPlainId,
  type Json,
  objectOf,
  type RemoteAnswer,
  UnreadableAnswer,
} from './read-answer.ts'
import type { Remote } from './remote.ts'
import type { CopyReport } from './report.ts'
import type { CopyPlan, CopyStep, LinkStep } from './steps.ts'
import { updateStock } from './stock.ts'
import { walk } from './walk.ts'

/** The two servers of a copy, and what is known of it. */
export interface Copy {
  readonly from: Remote
  readonly to: Remote
  readonly state: CopyState
  readonly report: CopyReport
  readonly say: (line: string) => void
}

const hashOf = (body: Json) => createHash('sha256').update(JSON.stringify(body)).digest('hex').slice(0, 32)

/** How often objects that name others are tried again: a tree has as many levels. */
const roundsMax = 20

/** Copies everything of the plan that is not copied yet. */
export async function copyAll(copy: Copy, plan: CopyPlan): Promise<void> {
  await matchStores(copy)
  for (const step of plan.steps) {
    await copyStep(copy, step)
    if (step.name === 'products') await unlessUnreadable(copy, step.name, () => buildChildren(copy, plan))
  }
  for (const step of await entrySteps(copy, plan)) await copyStep(copy, step)
  for (const link of plan.links) {
    for (const owner of copy.state.all(link.owner.name)) await copyLinksOf(copy, link, owner)
  }
  for (const singleton of plan.singletons) {
    await unlessUnreadable(copy, singleton.name, () => copySingleton(copy, singleton))
  }
  await unlessUnreadable(copy, 'gateways', () => copyGateways(copy, plan.gateways))
}

/** Objects may name their store. */
export async function matchStores({ from, to, state }: Copy): Promise<void> {
  const [one, other] = [await from.get('/v2/stores'), await to.get('/v2/stores')]
  const [here, there] = [one.body?.data?.[0]?.id, other.body?.data?.[0]?.id]
  if (typeof here === 'string' && typeof there === 'string') state.ids.set(here, there)
}

export async function copyLinksOf(copy: Copy, link: LinkStep, owner: CopiedObject): Promise<void> {
  await unlessUnreadable(copy, link.name, () => copyLinks(copy, link, owner))
}

async function unlessUnreadable(copy: Copy, name: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof UnreadableAnswer)) throw error
    copy.report.read(name)
    copy.report.skip(name, error.message, 'the list')
  }
}

/** The lists of a step, on both servers. */
export function collectionsOf({ state }: Copy, step: CopyStep): readonly (readonly [string, string])[] {
  if (step.at) return [step.at]
  return step.parent ? state.all(step.parent.name).map((owner) => listOf(step, owner)) : [listOf(step)]
}

/** The list of a step on both servers, below an owner if the step has a parent. */
export function listOf({ path }: CopyStep, owner?: CopiedObject): readonly [string, string] {
  if (!owner) return [path, path]
  const below = path.slice(path.lastIndexOf('/:') + 1).replace(/^:\w+/, '')
  return [owner.fromPath + below, owner.toPath + below]
}

/** Deletes what is no longer on the other server, if the copy has created it. Returns the reason if it is refused. */
export async function deleteCopied({ to, state }: Copy, copied: CopiedObject): Promise<string | undefined> {
  const { step, from, toPath, isFound } = copied
  const answer = isFound ? undefined : await to.send('DELETE', toPath)
  if (answer && answer.status >= 300 && answer.status !== 404) return detailOf(answer)
  state.remove(step, from)
  // An object that has taken its unique value was found to be this one.
  for (const other of answer ? state.all(step) : []) {
    if (other.toPath === toPath) state.remove(step, other.from)
  }
  return undefined
}

async function copyStep(copy: Copy, step: CopyStep): Promise<void> {
  let waiting: { readonly object: Json; readonly from: string; readonly to: string }[] = []
  copy.say(`${step.name} …`)
  for (const [from, to] of collectionsOf(copy, step)) {
    await unlessUnreadable(copy, step.name, async () => {
      for await (const object of walk(copy.from, from, step.resource)) {
        if (isChild(step.name, object)) continue
        copy.report.read(step.name)
        if (copy.state.find(step.name, String(object.id))) continue
        const refusal = await copyObject(copy, step, object, from, to)
        if (refusal) waiting.push({ object, from, to })
      }
    })
  }
  // Some name others of the same list, which were read later.
  for (let round = 0; waiting.length; round++) {
    const left: typeof waiting = []
    for (const one of waiting) {
      const refusal = await copyObject(copy, step, one.object, one.from, one.to)
      if (refusal) left.push(one)
      if (refusal && round === roundsMax) copy.report.skip(step.name, refusal, String(one.object.id))
    }
    // Without progress, one more round reports why.
    if (left.length === waiting.length && round < roundsMax) round = roundsMax - 1
    if (round === roundsMax) return
    waiting = left
  }
}

/** Creates an object, or updates the one that stands for it. Returns the reason if it is refused. */
export async function copyObject(
  copy: Copy,
  step: CopyStep,
  object: Json,
  from: string,
  to: string,
): Promise<string | undefined> {
  const { state, report } = copy
  if (!isPlainId(object.id)) return 'it has no id'
  const known = state.find(step.name, object.id)
  const keep = (id: string, isFound: boolean) =>
    state.add({
      ...{ step: step.name, from: object.id, to: id },
      ...{ fromPath: `${from}/${object.id}`, toPath: `${to}/${id}` },
      ...(isFound && { isFound }),
    })
  if (known) return update(copy, step, object, known.toPath)
  if (!step.creates) {
    const id = await findMatch(copy, step, object, to)
    if (id === undefined) return 'the new server has no such object'
    keep(id, true)
    return step.updates ? update(copy, step, object, `${to}/${id}`) : undefined
  }
  const answer = await create(copy, step, object, to)
  if (answer.status < 300) {
    const id = String(answer.body?.data?.id)
    keep(id, false)
    report.written(step.name)
    remarkOnUnreadable(copy, step, object)
    return undefined
  }
  if (answer.status !== 409 && answer.status !== 422 && answer.status !== 400) return detailOf(answer)
  // It exists: every store begins with some objects, and a response may have been lost.
  const id = await findSame(copy, step, object, to)
  if (id === undefined) return detailOf(answer)
  // Only the copy itself has created an object with the same id.
  keep(id, id !== object.id)
  return step.updates || step.name === 'stocks' ? update(copy, step, object, `${to}/${id}`) : undefined
}

/** Says in the report what of an object cannot be copied, and cannot be compared either. */
export function remarkOnUnreadable({ report }: Copy, { name }: CopyStep, object: Json): void {
  const { remark, isIn } = unreadable[name] ?? {}
  if (remark && isIn?.(object) !== false) report.remarks.add(`${name}: ${remark}`)
}

async function create(copy: Copy, step: CopyStep, object: Json, to: string): Promise<RemoteAnswer> {
  const special = await createSpecially(copy, step, object, to)
  if (special) return special
  const values = { ...valuesOf(step.resource, object), ...unreadable[step.name]?.values?.() }
  const body = withIds(bodyOf(step.resource, values, object), copy.state.ids)
  return copy.to.send('POST', to, body, {
    'x-sutler-id': object.id,
    // The same create after a lost response has the same effect.
    'idempotency-key': `copy ${object.id} ${hashOf(body)}`,
  })
}

async function update(copy: Copy, step: CopyStep, object: Json, path: string): Promise<string | undefined> {
  if (step.name === 'stocks') {
    const refusal = await updateStock(copy, object, path)
    if (!refusal) copy.report.changed(step.name)
    return refusal
  }
  if (!step.updates) return undefined
  const values = { ...emptied(step), ...valuesOf(step.resource, object) }
  const body = withIds(bodyOf(step.resource, values, object), copy.state.ids)
  const id = path.slice(path.lastIndexOf('/') + 1)
  const answer = await copy.to.send('PUT', path, { data: { ...body.data, id } })
  if (answer.status >= 300) return detailOf(answer)
  copy.report.changed(step.name)
  return undefined
}

/** An update keeps what it does not contain, so what the object does not have must be null. */
const emptied = ({ resource: { fields } }: CopyStep) =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(
        ([, { options }]) =>
          options.nullable && !options.readOnly && !options.hidden && options.stored !== false,
      )
      .filter(([, { options }]) => options.default === undefined && !options.immutable)
      .map(([name]) => [name, null]),
  )

/** The object of the new server that has the same id, or the same value where no two may have one. */
async function findSame(copy: Copy, step: CopyStep, object: Json, to: string): Promise<string | undefined> {
  const same = await copy.to.get(`${to}/${object.id}`)
  if (same.status === 200) return String(object.id)
  const unique = Object.values(step.resource.constraints ?? {})
    .flatMap(({ code, source }) => (code === 'not_found' || !source ? [] : [source]))
    .map((source) => source.replace(/^data\./, '').split('.'))
  if (!unique.length) return undefined
  const valueAt = (one: Json, path: readonly string[]) =>
    path.reduce<Json>((value, name) => value?.[name], one)
  for await (const other of walk(copy.to, to, step.resource)) {
    const isSame = unique.some((path) => {
      const value = valueAt(object, path)
      return value !== undefined && value !== null && value === valueAt(other, path)
    })
    if (isSame) return String(other.id)
  }
  return undefined
}

async function findMatch(copy: Copy, step: CopyStep, object: Json, to: string): Promise<string | undefined> {
  const keyOf = matchKeyOf[step.name]
  if (!keyOf) return undefined
  for await (const other of walk(copy.to, to, step.resource)) {
    if (keyOf(other) === keyOf(object)) return String(other.id)
  }
  return undefined
}

export async function copySingleton(copy: Copy, singleton: Singleton): Promise<void> {
  const { name, path, type, fields } = singleton
  const shown = objectOf(path, await copy.from.get(path))
  copy.report.read(name)
  const shape = { type, fields }
  const body = withIds(bodyOf(shape, valuesOf(shape, shown), shown), copy.state.ids)
  const written = await copy.to.send('PUT', path, body)
  if (written.status >= 300) copy.report.skip(name, detailOf(written), path)
  else copy.report.changed(name)
}

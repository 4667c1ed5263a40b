import { StartupError } from '../../server/platform/faults.ts'
import { compare } from './compare.ts'
import { type Copy, copyAll, copyLinksOf, copyObject, copySingleton, deleteCopied, listOf } from './copier.ts'
import { entrySteps } from './entry-steps.ts'
import { isChild } from './exceptions.ts'
import { feedPageOf, type ObjectChange } from './feed-page.ts'
import { copyGateways } from './gateways.ts'
import { detailOf, type Json, objectOf, type RemoteAnswer, UnreadableAnswer } from './read-answer.ts'
import type { Remote } from './remote.ts'
import type { CopyPlan, CopyStep } from './steps.ts'

/** Changes that the new server has refused, by their objects, and why. */
type RefusedChanges = ReadonlyMap<string, { readonly change: ObjectChange; readonly refusal: string }>

const feedPath = '/v2/changes'
const filter = encodeURIComponent('in(event,created,updated,deleted)')
const waitS = 5

/** The end of the feed of a server, or null if it has no feed. */
export async function feedEnd(from: Remote): Promise<number | null> {
  const { status, body } = await from.get(`${feedPath}?page%5Blimit%5D=0`)
  const last = body?.meta?.feed?.last
  return status === 200 && Number.isSafeInteger(last) ? last : null
}

/**
 * Copies what has changed since a position of the other server's feed, up to the end of the feed. It waits for more
 * changes until `isEnding`.
 */
export async function follow(
  copy: Copy,
  plan: CopyPlan,
  begin: number,
  isEnding: () => boolean = () => true,
): Promise<void> {
  const { from, state, say } = copy
  const following = new Following(copy, plan)
  let isFresh = false
  let hasEnded = false
  for (let position = begin; ; ) {
    // Asked before the request: writes that an operator has stopped are in its response.
    const isLast = isEnding()
    const answer = await from.get(
      `${feedPath}?page%5Bafter%5D=${position}&filter=${filter}&wait=${isLast ? 0 : waitS}`,
    )
    if (isLost(answer) && !isFresh) {
      position = await readAgain(copy, plan)
      state.follow(position)
      isFresh = true
      continue
    }
    if (answer.status !== 200) {
      throw new StartupError(`the changes of ${from.url} cannot be followed: ${detailOf(answer)}`)
    }
    isFresh = false
    const { reached, last, changes } = feedPageOf(answer, position)
    await following.apply(changes)
    if (reached > position) state.follow(reached)
    if (reached > position || !hasEnded) say(`followed changes to ${reached} of ${last}`)
    position = reached
    hasEnded = reached >= last
    if (hasEnded && isLast) break
  }
  following.report()
}

/** The feed no longer has the changes after a position, or an older backup of the server was restored. */
const isLost = ({ status }: RemoteAnswer) => status === 410 || status === 400

async function readAgain(copy: Copy, plan: CopyPlan): Promise<number> {
  copy.say('the feed does not reach back to the copy: reading the lists again …')
  const position = await feedEnd(copy.from)
  if (position === null) throw new StartupError(`${copy.from.url} no longer has ${feedPath}`)
  await copyAll(copy, plan)
  await compare(copy, plan, true)
  return position
}

class Following {
  readonly #copy: Copy
  readonly #plan: CopyPlan
  #steps: readonly CopyStep[] = []
  /** Types that no step has. */
  #others = new Set<string>()
  /** What was refused on the last page: it may need what comes later. */
  #waiting: RefusedChanges = new Map()
  #copied = 0
  #deleted = 0

  constructor(copy: Copy, plan: CopyPlan) {
    this.#copy = copy
    this.#plan = plan
  }

  /** Brings the objects of a page of changes to the state that they have now. */
  async apply(changes: readonly ObjectChange[]): Promise<void> {
    if (!changes.length) return
    // Where each object comes first, because later ones may name it; with its last event.
    const latest = new Map(changes.map((change) => [JSON.stringify(change.object), change]))
    await this.#findSteps(changes)
    const earlier = [...this.#waiting].filter(([key]) => !latest.has(key))
    let refused: RefusedChanges = new Map([...earlier, ...(await this.#tryAll(latest))])
    for (let before = Number.POSITIVE_INFINITY; refused.size && refused.size < before; ) {
      before = refused.size
      refused = await this.#tryAll(new Map([...refused].map(([key, { change }]) => [key, change])))
    }
    this.#waiting = new Map([...refused].filter(([key]) => latest.has(key)))
    this.#skip([...refused].filter(([key]) => !latest.has(key)))
  }

  report(): void {
    this.#skip([...this.#waiting])
    this.#copy.report.remarks.add(
      `changes during the copy: ${this.#copied} objects copied again, ${this.#deleted} deleted`,
    )
  }

  /** The comparison tries it once more. */
  #skip(refused: readonly (readonly [string, { change: ObjectChange; refusal: string }])[]): void {
    for (const [, { change, refusal }] of refused)
      this.#copy.report.skip(change.object.type, refusal, change.object.id)
  }

  /** The store itself defines some lists, and may have defined more. */
  async #findSteps(changes: readonly ObjectChange[]): Promise<void> {
    const known = new Set([...this.#steps.map(({ resource }) => resource.type), ...this.#others])
    const unknown = changes.filter(({ object }) => !known.has(object.type))
    if (!unknown.length) return
    this.#steps = [...this.#plan.steps, ...(await entrySteps(this.#copy, this.#plan))]
    for (const { object } of unknown) this.#others.add(object.type)
  }

  async #tryAll(changes: ReadonlyMap<string, ObjectChange>): Promise<RefusedChanges> {
    const refused = new Map<string, { change: ObjectChange; refusal: string }>()
    for (const [key, change] of changes) {
      const refusal = await this.#try(change)
      if (refusal) refused.set(key, { change, refusal })
    }
    return refused
  }

  async #try(change: ObjectChange): Promise<string | undefined> {
    try {
      return change.event === 'deleted' ? await this.#delete(change) : await this.#copyAgain(change)
    } catch (error) {
      if (!(error instanceof UnreadableAnswer)) throw error
      return error.message
    }
  }

  #stepsOf({ type }: ObjectChange['object']): readonly CopyStep[] {
    return this.#steps.filter(({ resource }) => resource.type === type)
  }

  async #delete({ object }: ObjectChange): Promise<string | undefined> {
    await this.#copyLinkRow(object)
    for (const step of this.#stepsOf(object)) {
      const known = this.#copy.state.find(step.name, object.id)
      if (!known) continue
      const refusal = await deleteCopied(this.#copy, known)
      if (!refusal) this.#deleted += 1
      return refusal
    }
    return undefined
  }

  async #copyAgain({ object }: ObjectChange): Promise<string | undefined> {
    const { type, id } = object
    for (const singleton of this.#plan.singletons) {
      if (singleton.type === type) await copySingleton(this.#copy, singleton)
    }
    if (this.#plan.gateways.type === type) await copyGateways(this.#copy, this.#plan.gateways)
    await this.#copyLinkRow(object)
    for (const step of this.#stepsOf(object)) {
      const [from, to] = this.#listOf(step, object) ?? []
      if (!from || !to) continue
      const answer = await this.#copy.from.get(`${from}/${id}`)
      if (answer.status !== 200) continue
      const shown = objectOf(`${from}/${id}`, answer)
      return shown.id === id ? this.#copyObject(step, shown, from, to) : `${from}/${id} is another object`
    }
    // It was deleted since, or is below something that is not copied.
    return undefined
  }

  /** The list that has an object, on both servers. */
  #listOf(step: CopyStep, { id, parent }: ObjectChange['object']): readonly [string, string] | undefined {
    const { state } = this.#copy
    const known = state.find(step.name, id)
    if (known) return [above(known.fromPath), above(known.toPath)]
    if (step.at) return step.at
    const owner = step.parent && parent ? state.find(step.parent.name, parent) : undefined
    return step.parent && !owner ? undefined : listOf(step, owner)
  }

  async #copyObject(step: CopyStep, object: Json, from: string, to: string): Promise<string | undefined> {
    const { report, state } = this.#copy
    // The comparison builds new ones.
    if (isChild(step.name, object) && !state.find(step.name, object.id)) return undefined
    const refusal = await copyObject(this.#copy, step, object, from, to)
    if (refusal) return refusal
    report.read(step.name)
    this.#copied += 1
    // It may define a list.
    if (step.name === 'custom-apis' || step.name === 'flows') this.#others = new Set()
    const owner = state.find(step.name, object.id)
    const links = this.#plan.links.filter((link) => link.owner.name === step.name)
    if (owner) for (const link of links) await copyLinksOf(this.#copy, link, owner)
    return undefined
  }

  /** Some links are objects of their own in the feed, below their owner. */
  async #copyLinkRow({ type, parent }: ObjectChange['object']): Promise<void> {
    for (const link of this.#plan.links.filter(({ changesAs }) => changesAs === type)) {
      const owner = parent ? this.#copy.state.find(link.owner.name, parent) : undefined
      if (owner) await copyLinksOf(this.#copy, link, owner)
    }
  }
}

const above = (path: string) => path.slice(0, path.lastIndexOf('/'))

import { isDeepStrictEqual } from 'node:util'
import { valuesOf, withIds } from './body.ts'
import { buildChildren } from './children.ts'
import {
  type Copy,
  collectionsOf,
  copyLinksOf,
  copyObject,
  deleteCopied,
  remarkOnUnreadable,
} from './copier.ts'
import { entrySteps } from './entry-steps.ts'
import { isChild } from './exceptions.ts'
import { compareGateways, copyGateways } from './gateways.ts'
import { linksOnBoth, sameLinks } from './links.ts'
import { type Json, UnreadableAnswer } from './read-answer.ts'
import type { CopyPlan, CopyStep } from './steps.ts'
import { levelsOf } from './stock.ts'
import { walk } from './walk.ts'

/** What a comparison has found. */
interface StoreComparison {
  /** How many objects are the same on both servers. */
  readonly equal: number
  /** What is missing, unknown, or has other values. */
  readonly differences: readonly string[]
}

interface Lists {
  readonly step: CopyStep
  readonly from: string
  readonly to: string
}

/**
 * Reads both servers again, and says where they differ in what clients can set. With `repairs` it copies what differs:
 * the other server may have changed since it was read.
 */
export async function compare(copy: Copy, plan: CopyPlan, repairs: boolean): Promise<StoreComparison> {
  const comparing = new Comparing(copy, repairs)
  for (const step of [...plan.steps, ...(await entrySteps(copy, plan))]) {
    for (const [from, to] of collectionsOf(copy, step)) {
      await comparing.noting(() => comparing.lists({ step, from, to }))
    }
  }
  if (repairs && comparing.unbuilt) await comparing.noting(() => buildChildren(copy, plan))
  for (const link of plan.links) {
    for (const owner of copy.state.all(link.owner.name)) {
      await comparing.noting(async () => {
        const { wanted, present, toPath } = await linksOnBoth(copy, link, owner)
        if (!sameLinks(wanted, present)) {
          comparing.differences.push(`${toPath}: other links`)
          if (repairs) await copyLinksOf(copy, link, owner)
        } else if (wanted.length) comparing.equal += 1
      })
    }
  }
  await comparing.noting(async () => {
    const { equal, differences } = await compareGateways(copy, plan.gateways)
    comparing.equal += equal
    comparing.differences.push(...differences)
    if (repairs && differences.length) await copyGateways(copy, plan.gateways)
  })
  return comparing
}

class Comparing implements StoreComparison {
  readonly #copy: Copy
  readonly #repairs: boolean
  equal = 0
  readonly differences: string[] = []
  /** Child products that only the other server has. */
  unbuilt = 0

  constructor(copy: Copy, repairs: boolean) {
    this.#copy = copy
    this.#repairs = repairs
  }

  async noting(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!(error instanceof UnreadableAnswer)) throw error
      this.differences.push(error.message)
    }
  }

  async lists({ step, from, to }: Lists): Promise<void> {
    const { state, from: source, to: target } = this.#copy
    // The new server's objects, until their counterparts are read.
    const present = new Map<string, Json>()
    for await (const object of walk(target, to, step.resource)) {
      present.set(String(object.id), comparable(step, object))
    }
    for await (const object of walk(source, from, step.resource)) {
      remarkOnUnreadable(this.#copy, step, object)
      if (isChild(step.name, object) && !state.find(step.name, String(object.id))) {
        this.differences.push(`${to}: the child product ${object.id} has not been built`)
        this.unbuilt += 1
        continue
      }
      const id = state.ids.get(object.id) ?? object.id
      const wanted = withIds(comparable(step, object), state.ids)
      const other = present.get(id)
      present.delete(id)
      if (other && isDeepStrictEqual(wanted, other)) {
        this.equal += 1
        continue
      }
      this.differences.push(`${to}/${id}: ${other ? differing(wanted, other).join(', ') : 'missing'}`)
      if (!this.#repairs) continue
      if (!other) state.remove(step.name, String(object.id))
      await copyObject(this.#copy, step, object, from, to)
    }
    for (const id of present.keys()) {
      const copied = state.all(step.name).find((one) => one.toPath === `${to}/${id}`)
      // What this copy did not create, every store has, or somebody else has added.
      if (!copied || copied.isFound) continue
      this.differences.push(`${to}/${id}: not on the other server`)
      if (this.#repairs) await deleteCopied(this.#copy, copied)
    }
  }
}

/** What clients can set, and of stock what is available. */
const comparable = (step: CopyStep, object: Json): Json => ({
  ...withoutNulls(valuesOf(step.resource, object)),
  ...(step.name === 'stocks' && levelsOf(object)),
})

/** A field that was never set may be absent; after an update that empties it, it is null. */
const withoutNulls = (values: Json): Json =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null))

const differing = (some: Json, others: Json): readonly string[] =>
  [...new Set([...Object.keys(some), ...Object.keys(others)])].filter(
    (name) => !isDeepStrictEqual(some[name], others[name]),
  )

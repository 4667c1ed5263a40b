import type { FeedChange } from '../../kernel/feed/changes.ts'
import {
  type ChangeFilter,
  type FoundChanges,
  lookForChanges,
  matches,
} from '../../kernel/feed/look-for-changes.ts'
import { Memory } from '../../kernel/memory.ts'
import type { Instance, Work } from '../../kernel/work/context.ts'
import { perInstance } from '../../kernel/work/per-instance.ts'
import { workOf } from '../../kernel/work/work-of.ts'
import { nextChanges } from './follow.ts'

/** How many changes one statement reads, and how many positions it looks at. */
const readMax = 100
const lookMax = 10_000
/** How long changes are kept for followers who come a little later. An erasure must not wait for them for long. */
const keptMs = 1_000
const keptMax = 200

/**
 * The end of a store's feed. It is read once for all who follow the store in this process; otherwise each of them would
 * read each change.
 */
class Tail {
  readonly #instance: Instance
  readonly #storeId: string
  /** The tail has all changes after the position `start`, up to `reached`. */
  #start: number
  #reached: number
  #bounds: Pick<FoundChanges, 'last' | 'trimmed'>
  #changes: readonly FeedChange[] = []
  #reading: Promise<void> | undefined

  /** Begins at the end of the feed, which a reader has found. */
  constructor(instance: Instance, storeId: string, { reached, last, trimmed }: FoundChanges) {
    this.#instance = instance
    this.#storeId = storeId
    this.#start = reached
    this.#reached = reached
    this.#bounds = { last, trimmed }
  }

  /** Whether the tail goes on from this position. */
  has(position: number): boolean {
    // A position between two changes may be one that the feed has skipped: see `Found.isForeign`.
    const isGiven = () => this.#changes.some((change) => change.position === position)
    return position === this.#reached || position === this.#start || (position > this.#start && isGiven())
  }

  /** The next changes after a position that the tail has; undefined if it turns out not to have it. */
  async after(position: number, filter: ChangeFilter, most: number): Promise<FoundChanges | undefined> {
    if (position === this.#reached) await this.readOn()
    if (!this.has(position)) return undefined
    const changes = this.#changes
      .filter((change) => change.position > position && matches(change, filter))
      .slice(0, most)
    // A full page may end before the tail does.
    const reached = changes.length === most ? (changes.at(-1)?.position ?? position) : this.#reached
    return { ...this.#bounds, changes, reached, end: this.#bounds.last, isForeign: false }
  }

  /** Reads what is new. Those who come meanwhile share the statement. */
  async readOn(): Promise<void> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined
    })
    await this.#reading
  }

  async #read(): Promise<void> {
    // Not by the store of a request: its statements are cancelled when its client hangs up.
    const { store } = workOf(this.#instance, { store: this.#storeId, by: 'system' })
    const stretch = { from: this.#reached, order: 'forwards', most: readMax, look: lookMax } as const
    const { changes, reached, last, trimmed } = await lookForChanges(store, stretch, {})
    this.#bounds = { last, trimmed }
    if (reached <= this.#reached) return
    const kept = [...this.#changes, ...changes]
    this.#forget(kept.at(-keptMax - 1)?.position ?? this.#start, kept)
    this.#reached = reached
    setTimeout(() => this.#forget(reached, this.#changes), keptMs).unref()
  }

  #forget(upTo: number, changes: readonly FeedChange[]): void {
    this.#start = Math.max(this.#start, upTo)
    this.#changes = changes.filter(({ position }) => position > upTo)
  }
}

/** A store's tail is small while nothing changes. */
const tailsMax = 1_000

const tailsOf = perInstance(() => new Memory<string, Tail>(tailsMax))

/**
 * The next changes for a follower: from the tail of the feed, or by a statement of its own while the follower is
 * behind.
 */
export async function followOn(
  work: Work,
  from: number,
  filter: ChangeFilter,
  most: number,
): Promise<FoundChanges> {
  const tails = tailsOf(work.instance)
  const { id } = work.store
  const tail = tails.get(id)
  const found = tail?.has(from) ? await tail.after(from, filter, most) : undefined
  if (found && (found.changes.length > 0 || found.reached >= found.last)) return found
  const own = await nextChanges(work, found?.reached ?? from, filter, most)
  // The follower is going to wait here: for the tail, if that is not too far behind.
  if (own.reached === own.last && !own.isForeign) {
    if (!tail?.has(own.reached)) await tail?.readOn()
    if (!tails.get(id)?.has(own.reached)) tails.set(id, new Tail(work.instance, id, own))
  }
  return own
}

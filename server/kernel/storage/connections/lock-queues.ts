import { Problem } from '../../errors.ts'
import type { Reading } from '../../metrics/metrics.ts'
import { readPool } from './observe.ts'

/** How many transactions may wait for their turn at one lock, and how long. */
const waitingMax = 1000
const waitMaxMs = 30_000

/** How often a transaction begins again before it waits in the database. */
const restartsMax = 3

const tooMany = () =>
  new Problem(
    'unavailable',
    'Too many requests are waiting to write the same object; try again in a second.',
    {
      headers: { 'retry-after': '1' },
    },
  )

/** Ends a transaction at a lock that has no room: it begins again when its turn has come. */
class CrowdedLock extends Error {}

/** A transaction at the locks that it takes, from before it waits for one until its end. */
interface Visitor {
  readonly locks: Set<string>
  /** Another one was first at one of its locks, so it may have to wait with its connection. */
  isBehind: boolean
}

interface LockQueue {
  inside: number
  /** Those that wait without a connection, in the order of arrival. */
  readonly line: Map<Visitor, () => void>
}

/**
 * Transactions of one process that take the same locks. A transaction that waits in the database keeps its connection.
 * So only some of them are let in to each lock, and those behind others at all locks never have more than a part of the
 * connections. The rest waits in the process, without a connection.
 */
export class LockQueues {
  /** In metrics. */
  readonly name: string
  readonly #insideMax: number
  readonly #behindMax: number
  readonly #queues = new Map<string, LockQueue>()
  /** The locks that someone waits for in the process. */
  readonly #crowded = new Map<string, LockQueue>()
  #behind = 0

  constructor(name: string, connections: number) {
    this.name = name
    const leftToOthers = Math.ceil(connections / 4)
    this.#insideMax = connections - leftToOthers
    this.#behindMax = Math.max(0, this.#insideMax - 1)
  }

  /** For metrics: the transactions that wait in the process. */
  read(): readonly Reading[] {
    const waiting = [...this.#crowded.values()].reduce((sum, { line }) => sum + line.size, 0)
    return readPool(this.name, { active: 0, idle: 0, waiting })
  }

  /** The locks that others wait for in the process. */
  crowded(): Iterable<string> {
    return this.#crowded.keys()
  }

  /** Runs all attempts of one transaction. */
  async visit<T>(run: (visit: LockVisit) => Promise<T>): Promise<T> {
    const visitor: Visitor = { locks: new Set(), isBehind: false }
    try {
      return await run(new LockVisit(this, visitor))
    } finally {
      this.leave(visitor)
    }
  }

  /** Lets the visitor in, unless there is no room. */
  admit(visitor: Visitor, lock: string): boolean {
    const queue = this.#queues.get(lock) ?? { inside: 0, line: new Map() }
    if (queue.line.size || !this.#hasRoom(queue, visitor)) return false
    this.#letIn(visitor, lock, queue)
    return true
  }

  /** Lets the visitor in when its turn has come; a Problem (503) if too many wait, or for too long. */
  async admitInTurn(visitor: Visitor, lock: string): Promise<void> {
    if (this.admit(visitor, lock)) return
    const queue = this.#queues.get(lock) as LockQueue
    if (queue.line.size >= waitingMax) throw tooMany()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const patience = setTimeout(() => {
      queue.line.delete(visitor)
      this.#forgetIfIdle(lock, queue)
      reject(tooMany())
    }, waitMaxMs)
    queue.line.set(visitor, resolve)
    this.#crowded.set(lock, queue)
    await promise.finally(() => clearTimeout(patience))
  }

  leave(visitor: Visitor): void {
    const left = [...visitor.locks]
    visitor.locks.clear()
    if (visitor.isBehind) this.#behind -= 1
    for (const lock of left) {
      const queue = this.#queues.get(lock)
      if (queue) queue.inside -= 1
      if (queue) this.#admitNext(lock, queue)
    }
    if (!visitor.isBehind) return
    visitor.isBehind = false
    for (const [lock, queue] of this.#crowded) {
      if (this.#behind >= this.#behindMax) return
      this.#admitNext(lock, queue)
    }
  }

  #admitNext(lock: string, queue: LockQueue): void {
    for (const [visitor, resolve] of queue.line) {
      if (!this.#hasRoom(queue, visitor)) break
      queue.line.delete(visitor)
      this.#letIn(visitor, lock, queue)
      resolve()
    }
    this.#forgetIfIdle(lock, queue)
  }

  #hasRoom({ inside }: LockQueue, { isBehind }: Visitor): boolean {
    return inside === 0 || (inside < this.#insideMax && (isBehind || this.#behind < this.#behindMax))
  }

  #letIn(visitor: Visitor, lock: string, queue: LockQueue): void {
    this.#queues.set(lock, queue)
    visitor.locks.add(lock)
    queue.inside += 1
    if (queue.inside === 1 || visitor.isBehind) return
    visitor.isBehind = true
    this.#behind += 1
  }

  #forgetIfIdle(lock: string, { inside, line }: LockQueue): void {
    if (!line.size) this.#crowded.delete(lock)
    if (!line.size && !inside) this.#queues.delete(lock)
  }
}

/** The locks of one transaction, in all its attempts. */
export class LockVisit {
  readonly #queues: LockQueues
  readonly #visitor: Visitor
  /** What it takes when its turn has come. */
  #wanted: readonly string[] = []
  #restarts = 0

  constructor(queues: LockQueues, visitor: Visitor) {
    this.#queues = queues
    this.#visitor = visitor
  }

  /** Whether the transaction must begin again. */
  get isTurnedAway(): boolean {
    return this.#wanted.length > 0
  }

  /** The locks that others wait for in the process, but for those that it has entered. */
  crowded(): readonly string[] {
    return [...this.#queues.crowded()].filter((lock) => !this.#visitor.locks.has(lock))
  }

  /** Called before the locks are taken. Throws if one has no room. */
  enter(locks: readonly string[]): void {
    const { locks: entered } = this.#visitor
    const others = locks.filter((lock) => !entered.has(lock))
    const hasRoom = others.every((lock) => entered.has(lock) || this.#queues.admit(this.#visitor, lock))
    if (hasRoom || this.#restarts === restartsMax) return
    this.#wanted = [...new Set([...entered, ...others])].sort()
    throw new CrowdedLock('other transactions wait for this lock')
  }

  /**
   * Enters all when there is room. First it leaves, and then it enters in an order that is the same for all, so that no
   * two wait for each other.
   */
  async enterInTurn(): Promise<void> {
    const wanted = this.#wanted
    this.#wanted = []
    this.#restarts += 1
    this.#queues.leave(this.#visitor)
    for (const lock of wanted) await this.#queues.admitInTurn(this.#visitor, lock)
  }
}

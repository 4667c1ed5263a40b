import type { Logger } from 'pino'
import { atMost } from '../at-most.ts'
import { Problem } from '../errors.ts'
import type { Connection } from '../storage/database.ts'
import type { Nodes } from '../storage/nodes/nodes.ts'

/** The interval for jobs that another process, or this one before a crash, has left. */
const pollMs = 1000
/** A poll asks all nodes; this is the largest share of the time it may take. */
const pollShare = 1 / 20
/** How long after a job was queued its transaction may end without waiting for the poll. */
const freshMs = 1000
/** How many stores one statement looks at, and how many jobs it moves. */
const storesMax = 50
const jobsMax = 1000
const stoppingMaxMs = 5000

/**
 * Moves jobs from the nodes of their stores to the queue, which is on the coordinator. A transaction of a store
 * queues a job on its node, or none. Each job comes once, whatever dies. See docs/decisions/0155-job-outbox.md.
 */
export class Outbox {
  readonly #database: Connection
  readonly #nodes: Nodes
  readonly #log: Logger
  /** When this process has last queued a job in a store. */
  readonly #queuedAtMs = new Map<string, number>()
  /** The stores to look at, by their nodes: one that is away holds up no others. */
  readonly #due = new Map<string, Set<string>>()
  readonly #moving = new Map<string, Promise<void>>()
  #timer: NodeJS.Timeout | undefined
  #fails = false
  #stopped = false

  private constructor(database: Connection, nodes: Nodes, log: Logger) {
    this.#database = database
    this.#nodes = nodes
    this.#log = log
  }

  /** Undefined where the database is one node: its queue takes jobs in the transactions of stores. */
  static async open(database: Connection, nodes: Nodes, log: Logger): Promise<Outbox | undefined> {
    if (await nodes.areMany()) {
      const outbox = new Outbox(database, nodes, log)
      outbox.#pollLater(0)
      return outbox
    }
    // What a database has that was distributed once.
    await moveJobs(database, await storesWithJobs(database))
    return undefined
  }

  /** A job of the store is in the outbox as soon as its transaction commits. */
  note(storeId: string): void {
    this.#queuedAtMs.set(storeId, performance.now())
  }

  /** Looks for jobs after a write in this store, if there may be some. */
  wake(storeId: string): void {
    const queuedAtMs = this.#queuedAtMs.get(storeId)
    if (queuedAtMs === undefined) return
    if (performance.now() - queuedAtMs > freshMs) this.#queuedAtMs.delete(storeId)
    void this.#attempt(() => this.#look([storeId]))
  }

  /** Leaves the rest to other processes or the next start. Call it before closing the database. */
  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#timer)
    await atMost(stoppingMaxMs, Promise.all(this.#moving.values()))
  }

  #pollLater(ms: number): void {
    if (!this.#stopped) this.#timer = setTimeout(() => void this.#poll(), ms)
  }

  async #poll(): Promise<void> {
    const beganMs = performance.now()
    await this.#attempt(async () => this.#look(await storesWithJobs(this.#database)))
    const tookMs = performance.now() - beganMs
    this.#pollLater(Math.max(pollMs, tookMs / pollShare))
  }

  /** What it cannot do, the next poll does. */
  async #attempt(act: () => Promise<void>): Promise<void> {
    try {
      await act()
      this.#fails = false
    } catch (error) {
      // Other work on the database reports that it is away.
      if (!this.#fails && !this.#stopped && !(error instanceof Problem))
        this.#log.error({ err: error }, 'cannot move jobs to the queue')
      this.#fails = true
    }
  }

  async #look(storeIds: readonly string[]): Promise<void> {
    if (this.#stopped) return
    for (const [node, ids] of await this.#nodes.of(storeIds)) {
      const due = this.#due.get(node) ?? new Set()
      this.#due.set(node, due)
      for (const id of ids) due.add(id)
      if (this.#moving.has(node)) continue
      const moving = this.#attempt(() => this.#move(due)).finally(() => this.#moving.delete(node))
      this.#moving.set(node, moving)
    }
  }

  async #move(due: Set<string>): Promise<void> {
    while (due.size && !this.#stopped) {
      const some = [...due].slice(0, storesMax)
      for (const id of some) due.delete(id)
      await moveJobs(this.#database, some)
    }
  }
}

async function storesWithJobs(database: Connection): Promise<readonly string[]> {
  const rows = await database.run({ text: 'SELECT stores_with_jobs()', values: [] })
  return rows.map(([id]) => id as string)
}

/** Moves the jobs of these stores, which are on one node, to the queue. */
export async function moveJobs(database: Connection, storeIds: readonly string[]): Promise<void> {
  // The last time it finds none, and forgets what it has noted.
  for (let hasMore = storeIds.length > 0; hasMore; ) {
    const jobs = await database.run({
      text: 'SELECT of_store, job FROM move_jobs($1, $2)',
      values: [storeIds, jobsMax],
    })
    if (!jobs.length) return
    const [taken] = await database.run({
      text: 'SELECT forget_moved($1, $2, $3)',
      values: [storeIds[0], jobs.map(([store]) => store), jobs.map(([, id]) => id)],
    })
    hasMore = Number(taken?.[0]) > 0
  }
}

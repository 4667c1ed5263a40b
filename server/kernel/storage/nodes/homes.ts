import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Reading } from '../../metrics/metrics.ts'
import type { Database, StatementSource } from '../database.ts'
import { Directory, keyOf, type NodeAddress } from './directory.ts'
import { type Databases, Node } from './node.ts'

/** Where the statements of one store are sent: one PostgreSQL, or the node of the store. */
export type Home = Pick<Database, 'quick' | 'run' | 'transaction' | 'reading'>

/** The home of each store. */
export interface Homes<H = Home> {
  of(storeId: string): H
}

/** One PostgreSQL has all stores. */
export const oneHome = <H>(home: H): Homes<H> => ({ of: () => home })

const refreshEveryMs = 2000
const settledAfterMs = 3000
/** What has been sent to a node may end, after the node has no stores any more. */
const closeAfterMs = 60_000

/** The node of the store with this id, if it is to be used. */
type FindNode = (storeId: string) => Node | undefined

/**
 * The homes of stores that Citus has distributed. A store whose node is not known, or not reached from here, is served
 * by the coordinator, which knows all of them.
 */
export class NodeHomes {
  readonly requests: Homes
  readonly jobs: Homes
  readonly #directory: Directory
  readonly #coordinator: Databases
  readonly #open: (address: NodeAddress) => Databases
  readonly #log: Logger
  readonly #nodes = new Map<string, Node>()
  readonly #stopping = new AbortController()
  readonly #closings = new Set<Promise<void>>()
  #refreshing: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined

  /** `open` connects to a node. */
  constructor(
    coordinator: Databases,
    open: (address: NodeAddress) => Databases,
    log: Logger,
    settledAfter = settledAfterMs,
  ) {
    this.#coordinator = coordinator
    this.#open = open
    this.#log = log
    this.#directory = new Directory({ run: (sql) => coordinator.requests.quick(sql) }, settledAfter)
    this.requests = homesFor('requests', coordinator, (storeId) => this.#nodeOf(storeId))
    this.jobs = homesFor('jobs', coordinator, (storeId) => this.#nodeOf(storeId))
  }

  async start(): Promise<void> {
    await this.refresh()
    this.#schedule()
  }

  /** Closes its connections. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    clearTimeout(this.#timer)
    await this.#refreshing
    await Promise.all([...this.#closings, ...[...this.#nodes.values()].map((node) => node.close())])
  }

  #schedule(): void {
    if (this.#stopping.signal.aborted) return
    this.#timer = setTimeout(() => void this.refresh().then(() => this.#schedule()), refreshEveryMs)
  }

  /** Learns where stores are, and which nodes answer. */
  async refresh(): Promise<void> {
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined
    })
    await this.#refreshing
  }

  async #refresh(): Promise<void> {
    try {
      await this.#directory.refresh()
      this.#keepNodes(new Map(this.#directory.addresses.map((address) => [keyOf(address), address])))
    } catch {
      // The coordinator is away, and other work reports it. Without it no store moves.
    }
    await Promise.all([...this.#nodes.values()].map((node) => node.examine()))
  }

  #keepNodes(addresses: ReadonlyMap<string, NodeAddress>): void {
    for (const [key, node] of this.#nodes) {
      if (addresses.has(key)) continue
      this.#nodes.delete(key)
      const closing = this.#closeSoon(node).finally(() => this.#closings.delete(closing))
      this.#closings.add(closing)
    }
    const coordinator = this.#coordinator.requests
    for (const [key, address] of addresses) {
      if (!this.#nodes.has(key))
        this.#nodes.set(key, new Node(address, this.#open(address), coordinator, this.#log))
    }
  }

  async #closeSoon(node: Node): Promise<void> {
    await sleep(closeAfterMs, undefined, { signal: this.#stopping.signal }).catch(() => {})
    await node.close()
  }

  #nodeOf(storeId: string): Node | undefined {
    const address = this.#directory.addressOf(storeId)
    const node = address && this.#nodes.get(keyOf(address))
    return node?.route === 'direct' || node?.route === 'away' ? node : undefined
  }

  /** For metrics. */
  get connections(): readonly Reading[] {
    return [...this.#nodes.values()].flatMap(({ databases: { requests, jobs } }) => [
      ...requests.connections,
      ...jobs.connections,
    ])
  }
}

const homesFor = (purpose: keyof Databases, coordinator: Databases, find: FindNode): Homes => ({
  of: (storeId) => new NodeHome(purpose, coordinator[purpose], () => find(storeId)),
})

/** The home of one store. Each statement, and each transaction, goes where the store is then. */
class NodeHome implements Home {
  readonly #purpose: keyof Databases
  readonly #coordinator: Home
  readonly #find: () => Node | undefined

  constructor(purpose: keyof Databases, coordinator: Home, find: () => Node | undefined) {
    this.#purpose = purpose
    this.#coordinator = coordinator
    this.#find = find
  }

  #at<T>(run: (home: Home) => Promise<T>): Promise<T> {
    const node = this.#find()
    return node ? node.run(this.#purpose, run) : run(this.#coordinator)
  }

  quick: Home['quick'] = (sql) => this.#at((home) => home.quick(sql))
  run: Home['run'] = (sql) => this.#at((home) => home.run(sql))
  transaction: Home['transaction'] = (work, kind) => this.#at((home) => home.transaction(work, kind))

  reading(signal: () => AbortSignal): StatementSource {
    return {
      quick: (sql) => this.#at((home) => home.reading(signal).quick(sql)),
      run: (sql) => this.#at((home) => home.reading(signal).run(sql)),
      transaction: (work, kind) => this.#at((home) => home.reading(signal).transaction(work, kind)),
    }
  }
}

/** The URL of a node: that of the database, with another host. */
export function urlOfNode(databaseUrl: string, { host, port }: Pick<NodeAddress, 'host' | 'port'>): string {
  const url = new URL(databaseUrl)
  url.hostname = host.includes(':') ? `[${host}]` : host
  url.port = String(port)
  for (const name of ['host', 'port']) url.searchParams.delete(name)
  return url.href
}

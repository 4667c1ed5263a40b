import type { Logger } from 'pino'
import { atMost } from '../../at-most.ts'
import { isTimeout, isUnavailable, outage } from '../connections/outages.ts'
import type { Connection, Database } from '../database.ts'
import type { NodeAddress } from './directory.ts'

const answerMaxMs = 2000

/** The connections of a process to one database, by what they are for. */
export interface Databases {
  readonly requests: Database
  readonly jobs: Database
}

/**
 * How statements for a node's stores get there. `unknown`: nobody has tried yet, and `relayed`: the coordinator reaches
 * the node, and this process does not; in both cases the coordinator serves. `away`: nobody reaches it.
 */
type Route = 'unknown' | 'direct' | 'relayed' | 'away'

/** One node of the database. Each has connections of its own, so that none waits for another node. */
export class Node {
  readonly #address: NodeAddress
  readonly #databases: Databases
  readonly #coordinator: Connection
  readonly #log: Logger
  #route: Route = 'unknown'
  /** Why it does not answer. */
  #fault: unknown
  #examining: Promise<void> | undefined

  constructor(address: NodeAddress, databases: Databases, coordinator: Connection, log: Logger) {
    this.#address = address
    this.#databases = databases
    this.#coordinator = coordinator
    this.#log = log
  }

  get databases(): Databases {
    return this.#databases
  }

  get route(): Route {
    return this.#route
  }

  /** Runs what is for a store of this node. While the node is away, it refuses at once. */
  async run<T>(purpose: keyof Databases, run: (database: Database) => Promise<T>): Promise<T> {
    if (this.#route === 'away') throw outage(this.#fault)
    try {
      return await run(this.#databases[purpose])
    } catch (error) {
      if (isUnavailable(error) && !isTimeout(error)) void this.examine()
      throw error
    }
  }

  /** Finds out how to reach it. */
  async examine(): Promise<void> {
    this.#examining ??= this.#examine().finally(() => {
      this.#examining = undefined
    })
    await this.#examining
  }

  async #examine(): Promise<void> {
    const fault = await faultOfNode(this.#databases.requests, this.#address)
    const route = fault === undefined ? 'direct' : (await this.#isReachedByCoordinator()) ? 'relayed' : 'away'
    this.#fault = fault
    if (route === this.#route) return
    const { host, port } = this.#address
    const name = `the node ${host}:${port} of the database`
    const reason = (fault as Error | undefined)?.message
    if (route === 'away') this.#log.warn(`${name} is away: ${reason}`)
    if (route === 'relayed')
      this.#log.warn(`the coordinator serves the stores of ${name}, which takes longer: ${reason}`)
    if (route === 'direct' && this.#route !== 'unknown') this.#log.info(`${name} serves again`)
    this.#route = route
  }

  async #isReachedByCoordinator(): Promise<boolean> {
    const { host, port } = this.#address
    const text = 'SELECT citus_check_connection_to_node($1, $2)'
    const values = [host, port]
    const [row] = await this.#coordinator.run({ text, values, once: true }).catch(() => [])
    return row?.[0] === 't'
  }

  close(): Promise<unknown> {
    return Promise.all([this.#databases.requests.close(), this.#databases.jobs.close()])
  }
}

/**
 * Why this process does not reach a node; undefined if it does. Another server may have the name of the node where the
 * process runs, so it must say who it is.
 */
export async function faultOfNode(
  database: Pick<Database, 'quick'>,
  { group }: Pick<NodeAddress, 'group'>,
): Promise<unknown> {
  let answer: string | null | undefined
  const text = `SELECT groupid FROM pg_dist_local_group WHERE to_regclass('stores') IS NOT NULL`
  try {
    const asked = database.quick({ text, values: [] }).then(([row]) => {
      answer = row?.[0]
    })
    // What comes too late is of no interest.
    asked.catch(() => {})
    if (!(await atMost(answerMaxMs, asked))) return unreachable(`it has not answered in ${answerMaxMs} ms`)
  } catch (error) {
    return (error as Error).cause ?? error
  }
  return answer === group ? undefined : unreachable('another server has this name')
}

/** As the system says it of an address that does not answer. */
const unreachable = (message: string): Error => Object.assign(new Error(message), { code: 'EHOSTUNREACH' })

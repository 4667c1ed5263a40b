import { isId } from '../../ids.ts'
import { Memory } from '../../memory.ts'
import type { Connection } from '../database.ts'

/** Where a node of the database is. */
export interface NodeAddress {
  readonly host: string
  readonly port: number
  /** Its number for Citus: it says so itself. */
  readonly group: string
}

export const keyOf = ({ host, port, group }: NodeAddress): string => `${group} ${host}:${port}`

/** The stores whose ids have these hashes, and the node that has them. */
interface StoreGroup {
  readonly least: number
  readonly most: number
  /** Differs after each move. */
  readonly place: string
  /** Undefined for the coordinator, and for a node that knows of no others. */
  readonly address: NodeAddress | undefined
  readonly knownSinceMs: number
}

const groupsSql = `SELECT s.shardminvalue, s.shardmaxvalue, l.shardid || ' ' || l.placementid || ' ' || l.groupid,
    n.nodename, n.nodeport, l.groupid, n.groupid > 0 AND n.isactive AND n.hasmetadata AND n.metadatasynced
  FROM pg_dist_shard s JOIN pg_dist_placement l ON l.shardid = s.shardid
    JOIN pg_dist_node n ON n.groupid = l.groupid AND n.noderole = 'primary'
  WHERE s.logicalrelid = 'stores'::regclass ORDER BY s.shardminvalue::integer`

const hashesSql = 'SELECT id, worker_hash(id) FROM unnest($1::uuid[]) id'

/** Stores whose hashes are kept. A hash never changes. */
const storesMax = 100_000

/**
 * Where each store is, as the coordinator of Citus says. It is refreshed beside the requests: a statement that is sent
 * to another node is right too, only slower.
 *
 * A node counts as the place of a store some seconds after the directory first named it: a statement that waits on the
 * node to which the store moves would see the store as it was before: docs/decisions/0153-homes-of-stores.md.
 */
export class Directory {
  readonly #coordinator: Connection
  readonly #settledAfterMs: number
  readonly #hashes = new Memory<string, number>(storesMax)
  #unknown = new Set<string>()
  #groups: readonly StoreGroup[] = []

  /** `coordinator` runs statements that are certainly short. */
  constructor(coordinator: Connection, settledAfterMs: number) {
    this.#coordinator = coordinator
    this.#settledAfterMs = settledAfterMs
  }

  /** The nodes that have stores, without the coordinator. */
  get addresses(): readonly NodeAddress[] {
    const named = this.#groups.flatMap(({ address }) => (address ? [[keyOf(address), address] as const] : []))
    return [...new Map(named).values()]
  }

  /** The node of a store; undefined if it is not known, or if it is the coordinator. */
  addressOf(storeId: string): NodeAddress | undefined {
    const hash = this.#hashes.get(storeId)
    if (hash === undefined) {
      this.#learn(storeId)
      return undefined
    }
    const group = groupOf(this.#groups, hash)
    if (!group?.address || performance.now() - group.knownSinceMs < this.#settledAfterMs) return undefined
    return group.address
  }

  async refresh(): Promise<void> {
    const rows = await this.#coordinator.run({ text: groupsSql, values: [] })
    const known = new Map(this.#groups.map((group) => [group.place, group.knownSinceMs]))
    this.#groups = (rows as readonly (readonly string[])[]).map(
      ([least, most, place = '', host = '', port, group = '', serves]) => ({
        ...{ least: Number(least), most: Number(most), place },
        address: serves === 't' ? { host, port: Number(port), group } : undefined,
        knownSinceMs: known.get(place) ?? performance.now(),
      }),
    )
  }

  /** Asks for the hashes of all stores of a turn at once. Until they are known, the coordinator serves. */
  #learn(storeId: string): void {
    if (!isId(storeId)) return
    this.#unknown.add(storeId)
    if (this.#unknown.size === 1) setImmediate(() => void this.#ask())
  }

  async #ask(): Promise<void> {
    const ids = [...this.#unknown]
    this.#unknown = new Set()
    try {
      const rows = await this.#coordinator.run({ text: hashesSql, values: [ids] })
      for (const [id, hash] of rows) this.#hashes.set(id as string, Number(hash))
    } catch {
      // The next request of the store asks again.
    }
  }
}

/** The groups are in the order of their hashes, and have each hash once. */
function groupOf(groups: readonly StoreGroup[], hash: number): StoreGroup | undefined {
  let [low, high] = [0, groups.length - 1]
  while (low <= high) {
    const middle = (low + high) >> 1
    const group = groups[middle] as StoreGroup
    if (hash < group.least) high = middle - 1
    else if (hash > group.most) low = middle + 1
    else return group
  }
  return undefined
}

import type { Connection } from '../database.ts'

/**
 * Where the stores are, if Citus has distributed them on several nodes. What concerns many stores is sent to each node
 * for its own: then it is one transaction there, and a node that is away holds up no others. One PostgreSQL is one
 * node.
 */
export class Nodes {
  readonly #database: Connection
  #areMany: boolean | undefined

  constructor(database: Connection) {
    this.#database = database
  }

  /** Whether stores are on several nodes. No server runs while tables are distributed. */
  async areMany(): Promise<boolean> {
    this.#areMany ??= await this.#ask()
    return this.#areMany
  }

  /** The stores of each node, with the name of the node. */
  async of(storeIds: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
    if (!storeIds.length) return new Map()
    if (!(await this.areMany())) return new Map([['', storeIds]])
    const text = 'SELECT store_id, node FROM nodes_of_stores($1::uuid[])'
    const rows = await this.#database.run({ text, values: [storeIds] })
    const stores = new Map<string, string[]>()
    for (const [id = '', node = ''] of rows as readonly (readonly string[])[])
      stores.set(node, [...(stores.get(node) ?? []), id])
    return stores
  }

  /** Does something on each node at once. Throws the first error after all have ended. */
  async each(
    storeIds: readonly string[],
    act: (storeIds: readonly [string, ...string[]], node: string) => Promise<void>,
  ): Promise<void> {
    const nodes = [...(await this.of(storeIds))]
    const ended = await Promise.allSettled(
      nodes.map(([node, ids]) => act(ids as readonly [string, ...string[]], node)),
    )
    for (const end of ended) if (end.status === 'rejected') throw end.reason
  }

  async #ask(): Promise<boolean> {
    const [row] = await this.#database.run({ text: 'SELECT is_distributed()', values: [] })
    return row?.[0] === 't'
  }
}

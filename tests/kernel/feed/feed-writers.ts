import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import pg from 'pg'
import { pino } from 'pino'
import { expect } from 'vitest'
import { Sequencer } from '../../../server/kernel/feed/sequence-changes.ts'
import { Database } from '../../../server/kernel/storage/database.ts'
import { Nodes } from '../../../server/kernel/storage/nodes/nodes.ts'

/**
 * Writers that overlap, commit late and wait for each other, and readers of their changes: accounts are the parents,
 * their addresses the children.
 */

export const stores = [randomUUID(), randomUUID()] as const
const parents = [0, 1, 2] as const
const children = [0, 1, 2] as const
const writers = 8
const sequencers = 2

interface Step {
  readonly act: 'create' | 'update' | 'delete'
  readonly parent: number
  /** Undefined: it is about the parent itself. */
  readonly child: number | undefined
}

interface Transaction {
  readonly store: number
  readonly steps: readonly Step[]
  /** Between what it writes and its end: others overtake it, or wait for it. */
  readonly holdMs: number
  readonly commits: boolean
}

const step = fc.record<Step>({
  act: fc.constantFrom('create', 'create', 'update', 'update', 'delete'),
  parent: fc.constantFrom(...parents),
  child: fc.option(fc.constantFrom(...children), { nil: undefined, freq: 3 }),
})
export const transactions = fc.array(
  fc.record<Transaction>({
    store: fc.constantFrom(0, 0, 1),
    steps: fc.array(step, { minLength: 1, maxLength: 4 }),
    holdMs: fc.constantFrom(0, 0, 0, 1, 5, 20, 60),
    commits: fc.constantFrom(true, true, true, true, false),
  }),
  { minLength: 120, maxLength: 160 },
)

/** The same object is made, deleted and made again under one id. */
const idOf = (store: number, parent: number, child?: number) =>
  `00000000-0000-4000-8000-${String(store + 1).padStart(4, '0')}${String(parent + 1).padStart(4, '0')}${String((child ?? -1) + 1).padStart(4, '0')}`

const document = (version: string) => `('{"name":"x","v":' || (${version})::text || '}')::json`

export function statement(store: number, { act, parent, child }: Step): string {
  const table = child === undefined ? 'accounts' : 'account_addresses'
  const at = `store_id = '${stores[store]}' AND id = '${idOf(store, parent, child)}'`
  if (act === 'delete') return `DELETE FROM ${table} WHERE ${at}`
  if (act === 'update') {
    return `UPDATE ${table} SET version = version + 1, updated_at = now(), doc = ${document('version + 1')} WHERE ${at}`
  }
  const values = `'${stores[store]}', '${idOf(store, parent, child)}', now(), now(), ${document('0')}`
  return child === undefined
    ? `INSERT INTO accounts (store_id, id, created_at, updated_at, doc) VALUES (${values}) ON CONFLICT DO NOTHING`
    : `INSERT INTO account_addresses (store_id, id, created_at, updated_at, doc, account_id)
       VALUES (${values}, '${idOf(store, parent)}') ON CONFLICT DO NOTHING`
}

/** A database with an account of all that is committed, kept apart from the feed. */
export async function prepare(client: pg.Client): Promise<void> {
  await client.query(`
    CREATE TABLE ledger (store_id uuid, id uuid, event text, v integer);
    CREATE FUNCTION keep_ledger() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF TG_OP = 'DELETE' THEN INSERT INTO ledger VALUES (OLD.store_id, OLD.id, 'deleted', NULL);
      ELSE INSERT INTO ledger VALUES (NEW.store_id, NEW.id,
        CASE TG_OP WHEN 'INSERT' THEN 'created' ELSE 'updated' END, (NEW.doc->>'v')::integer);
      END IF;
      RETURN NULL;
    END $$;
    CREATE TRIGGER keep_ledger AFTER INSERT OR UPDATE OR DELETE ON accounts FOR EACH ROW EXECUTE FUNCTION keep_ledger();
    CREATE TRIGGER keep_ledger AFTER INSERT OR UPDATE OR DELETE ON account_addresses
      FOR EACH ROW EXECUTE FUNCTION keep_ledger();`)
}

export async function addStores(client: pg.Client): Promise<void> {
  const organisation = randomUUID()
  await client.query('INSERT INTO organisations VALUES ($1, $2, now())', [organisation, 'Tests'])
  for (const store of stores) {
    await client.query('INSERT INTO stores VALUES ($1, $2, $3, now())', [store, organisation, 'Store'])
  }
}

/** Reads a store's feed as a client does: from where it was, until it is told to stop. */
class Reader {
  readonly changes: Change[] = []
  readonly #client: pg.Client
  readonly #store: string
  readonly #from: number
  #stopped = false
  readonly #reading: Promise<void>

  constructor(client: pg.Client, store: string, from: number) {
    this.#client = client
    this.#store = store
    this.#from = from
    this.#reading = this.#read()
  }

  async #read(): Promise<void> {
    while (!this.#stopped) {
      await this.readOn()
      await sleep(3)
    }
  }

  async readOn(): Promise<void> {
    const { rows } = await this.#client.query(
      `SELECT position::int, event, source, id, scope, (doc->>'v')::int AS v FROM changes
       WHERE store_id = $1 AND position > $2 ORDER BY position LIMIT 50`,
      [this.#store, this.changes.at(-1)?.position ?? this.#from],
    )
    // Whenever it looks there is no gap, and nothing turns up behind it.
    for (const row of rows) {
      expect(row.position).toBe((this.changes.at(-1)?.position ?? this.#from) + 1)
      this.changes.push(row)
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await this.#reading
    for (let before = -1; before !== this.changes.length; ) {
      before = this.changes.length
      await this.readOn()
    }
  }
}

export interface Change {
  readonly position: number
  readonly event: string
  readonly source: string
  readonly id: string
  readonly scope: string | null
  readonly v: number | null
}

/** What is there after these changes, each object with its version. Fails where one does not follow from the others. */
function replay(changes: readonly Change[], alive = new Map<string, { v: number; scope: string | null }>()) {
  for (const { event, source, id, scope, v } of changes) {
    const before = alive.get(id)
    if (event === 'created') {
      expect([id, before, v]).toEqual([id, undefined, 0])
      if (source === 'account_addresses') expect(alive.has(scope as string)).toBe(true)
      alive.set(id, { v: 0, scope })
    } else if (event === 'updated') {
      expect([id, v]).toEqual([id, (before?.v ?? Number.NaN) + 1])
      alive.set(id, { v: v as number, scope })
    } else {
      expect([id, event, before !== undefined, v]).toEqual([id, 'deleted', true, null])
      alive.delete(id)
      expect([...alive.values()].filter((one) => one.scope === id)).toEqual([])
    }
  }
  return alive
}

const tuple = ({ id, event, v }: Pick<Change, 'id' | 'event' | 'v'>) => `${id} ${event} ${v}`

interface FeedWriters {
  readonly client: pg.Client
  readonly readers: readonly Reader[]
  write(plan: readonly Transaction[]): Promise<void>
  stop(): Promise<void>
}

/** Readers, sequencers of several processes, and what writes. */
export async function openWriters(
  url: string,
  from: readonly number[] = stores.map(() => 0),
): Promise<FeedWriters> {
  const clients: pg.Client[] = []
  const connect = async () => {
    const client = new pg.Client(url)
    await client.connect()
    clients.push(client)
    return client
  }
  const log = pino({ level: 'silent' })
  const failures: unknown[] = []
  log.error = (...args: unknown[]) => void failures.push(args)
  const databases = Array.from({ length: sequencers }, () => new Database(url, 1))
  const processes = databases.map((database) => new Sequencer(database, new Nodes(database), log))
  const client = await connect()
  const readers = await Promise.all(
    stores.map(async (store, i) => new Reader(await connect(), store, from[i] as number)),
  )
  const lanes = await Promise.all(Array.from({ length: writers }, connect))

  const carryOut = async (lane: pg.Client, one: Transaction, process: Sequencer) => {
    await lane.query('BEGIN')
    try {
      for (const step of one.steps) await lane.query(statement(one.store, step))
      await sleep(one.holdMs)
      await lane.query(one.commits ? 'COMMIT' : 'ROLLBACK')
    } catch (error) {
      // A parent that is gone, or two that wait for each other.
      expect(['23503', '40P01']).toContain((error as pg.DatabaseError).code)
      await lane.query('ROLLBACK')
    }
    process.wake(stores[one.store] as string)
  }
  return {
    client,
    readers,
    async write(plan) {
      const waiting = [...plan]
      await Promise.all(
        lanes.map(async (lane, i) => {
          for (let one = waiting.shift(); one; one = waiting.shift()) {
            await carryOut(lane, one, processes[i % sequencers] as Sequencer)
          }
        }),
      )
    },
    async stop() {
      for (const store of stores) await client.query('SELECT sequence_store($1)', [store])
      for (const reader of readers) await reader.stop()
      for (const process of processes) await process.stop()
      for (const database of databases) await database.close()
      for (const one of clients) await one.end()
      expect(failures).toEqual([])
    },
  }
}

/** The feed has every committed change once, and agrees with the rows. */
export async function expectWhole(
  client: pg.Client,
  store: string,
  changes: readonly Change[],
): Promise<void> {
  const { rows: ledger } = await client.query('SELECT id, event, v FROM ledger WHERE store_id = $1', [store])
  expect(changes.map(tuple).sort()).toEqual(ledger.map(tuple).sort())
  const { rows } = await client.query(
    `SELECT id, version FROM accounts WHERE store_id = $1
     UNION ALL SELECT id, version FROM account_addresses WHERE store_id = $1`,
    [store],
  )
  const there = [...replay(changes)].map(([id, { v }]) => `${id} ${v}`)
  expect(there.sort()).toEqual(rows.map(({ id, version }) => `${id} ${version}`).sort())
}

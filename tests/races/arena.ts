import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { inject } from 'vitest'
import { start } from '../../server/main.ts'
import { openShop } from '../builders/orders/buying.ts'
import { takeManualPayments } from '../builders/payments/paying.ts'
import { takeStripePayments } from '../builders/payments/stripe-shop.ts'
import { type Client, clientOf } from '../support/client.ts'
import { databaseUrl } from '../support/own-database.ts'
import { StripeDouble } from '../support/stripe-double/index.ts'
import { openWorld, testConfig, type World } from '../support/world.ts'

/**
 * Two servers on one database, since the writes of one object wait for each other in one server. All files of a worker
 * share them: starting two costs more than most races do. They end with the worker.
 */
export interface Arena {
  readonly world: World
  /** Who sends the racing requests: each at a server of their own. */
  readonly sides: readonly [Side, Side]
  /** The ids of the products, by their SKUs. */
  readonly ids: Readonly<Record<string, string>>
  readonly double: StripeDouble
  /** A connection that stands in the way of both. */
  readonly gate: pg.Client
}

/** Callers of one of the servers. */
export interface Side {
  readonly seller: Client
  readonly shopper: Client
}

let arena: Promise<Arena> | undefined

export function openArena(): Promise<Arena> {
  arena ??= open()
  return arena
}

async function open(): Promise<Arena> {
  const double = await StripeDouble.open()
  const env = { SUTLER_STRIPE_URL: double.url }
  const world = await openWorld({ alone: true, env })
  const second = await start(testConfig(inject('postgres'), world.database, env))
  const at = (url: string): Side => ({
    seller: clientOf(url, world.admin.token),
    shopper: clientOf(url, world.shopper.token),
  })
  const gate = new pg.Client(databaseUrl(inject('postgres'), world.database))
  await gate.connect()
  await takeManualPayments(world.admin)
  await takeStripePayments(world.admin, double)
  const discounts = { use_rule_promotions: true, custom_discounts_enabled: false }
  await world.admin.put('/v2/settings/cart', { data: { type: 'settings', discounts } })
  const ids = await openShop(world, { MUG: 1000, CUP: 1000 })
  return { world, sides: [at(world.url), at(second.url)], ids, double, gate }
}

/** The statement that locks rows of the world's store. */
export const lockOf = ({ storeId }: World, table: string, where: string): string =>
  `SELECT FROM ${table} WHERE store_id = '${storeId}' AND ${where} FOR UPDATE`

/** How long a request may take to come to the gate, or to end without coming there. */
const reachesMaxMs = 10_000

/**
 * Holds up both requests, and lets go when both wait. `hold` is the statement of a lock that both need for their
 * writes, but not for their reads (`LOCK TABLE … IN SHARE MODE`): each has read all that it reads before either writes.
 */
export async function collide<T>(
  { gate }: Arena,
  hold: string,
  requests: readonly (() => Promise<T>)[],
): Promise<readonly T[]> {
  await gate.query(`BEGIN; ${hold}`)
  const replies: Promise<T>[] = []
  // A request that is refused ends without waiting.
  let open = 0
  const end = () => {
    open -= 1
  }
  try {
    for (const request of requests) {
      const reply = request()
      replies.push(reply)
      open += 1
      reply.then(end, end)
      await untilWaiting(gate, () => open)
    }
  } finally {
    await gate.query('COMMIT')
  }
  return Promise.all(replies)
}

/** The sessions that wait for the gate, or for one that does. */
const held = `
  WITH RECURSIVE waiting AS MATERIALIZED (
    SELECT pid, pg_blocking_pids(pid) AS blockers FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock' AND query NOT LIKE '%sequence_store%'
  ), held AS (
    SELECT pid FROM waiting WHERE pg_backend_pid() = ANY(blockers)
    UNION SELECT w.pid FROM waiting w JOIN held h ON h.pid = ANY(w.blockers)
  ) SELECT FROM held`

/** Waits until all requests that are open wait. */
async function untilWaiting(gate: pg.Client, open: () => number): Promise<void> {
  const endsAt = performance.now() + reachesMaxMs
  while (performance.now() < endsAt) {
    const { rows } = await gate.query(held)
    if (rows.length >= open()) return
    await sleep(5)
  }
}

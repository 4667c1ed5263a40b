import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { findRunning } from '../../../server/platform/postgres/embedded.ts'
import { StripeDouble } from '../stripe-double/index.ts'
import { buy, faults, ways } from './buy.ts'
import { key, Sender } from './sender.ts'
import { openShop } from './shop.ts'
import { supervise, victims } from './supervisor.ts'

export interface Run {
  readonly checkouts: number
  /** How many shoppers buy at the same time. */
  readonly shoppers: number
  /** So many checkouts after each other, a process is killed. */
  readonly killEvery: number
  /** Of 100 payments with Stripe, so many meet a fault. */
  readonly faultsOf100: number
  readonly dataDir?: string
  readonly onProgress?: (bought: number) => void
}

/** What must agree in the end. */
export interface Outcome {
  readonly [what: string]: number
}

/** How long what was open may take to end after the last kill. */
const settlesMaxMs = 60_000

/**
 * Shoppers buy while the server and its PostgreSQL are killed. Each request is sent until it is answered, by two
 * senders at once. Returns what has come of it.
 */
export async function sellUnderKills(
  run: Run,
): Promise<{ readonly outcome: Outcome; readonly lost: number }> {
  const dataDir = run.dataDir ?? mkdtempSync(join(tmpdir(), 'sutler-one-outcome-'))
  const double = await StripeDouble.open()
  const server = await supervise(dataDir, {
    ...key,
    LOG_LEVEL: 'silent',
    SUTLER_STRIPE_URL: double.url,
  })
  try {
    await server.ready()
    const sender = new Sender(server.url)
    const shop = await openShop(sender, { checkouts: run.checkouts, double })
    let [started, bought, kills] = [0, 0, 0]
    const shopper = async () => {
      while (started < run.checkouts) {
        const n = started++
        const way = ways[n % ways.length] ?? 'manual'
        if (way !== 'manual' && (n * 37) % 100 < run.faultsOf100) {
          double.faults.push({ ...(faults[n % faults.length] as (typeof faults)[number]), times: 1 })
        }
        await buy(sender, shop, double, { cart: `cart-${n}`, way })
        bought += 1
        run.onProgress?.(bought)
        if (bought % run.killEvery === 0 && bought < run.checkouts) {
          server.kill(victims[kills % victims.length] ?? 'server')
          kills += 1
        }
      }
    }
    await Promise.all(Array.from({ length: run.shoppers }, shopper))
    await server.ready()
    const outcome = await settled(dataDir)
    return {
      outcome: {
        ...outcome,
        'received by Stripe, by its own count': double.received,
        kills,
        starts: server.starts(),
      },
      lost: sender.lost,
    }
  } finally {
    await server.stop()
    await double.close()
    if (!run.dataDir) rmSync(dataDir, { recursive: true, force: true })
  }
}

const amount = `(doc->>'amount')::bigint`
const complete = `doc->>'status' = 'complete'`

/** Each is a number. */
const questions = {
  orders: 'SELECT count(*) FROM orders',
  'carts with orders': 'SELECT count(DISTINCT cart_id) FROM orders',
  'totals of orders': 'SELECT sum(with_tax) FROM orders',
  'paid, as orders say': 'SELECT sum(paid) FROM orders',
  'paid, as transactions say': `SELECT sum(${amount}) FROM order_transactions WHERE ${complete}`,
  'received by Stripe': `SELECT coalesce(sum(${amount}), 0) FROM order_transactions
    WHERE ${complete} AND doc->>'gateway' <> 'manual'`,
  'stock left': 'SELECT sum(available) FROM stock_levels',
  'stock allocated': 'SELECT sum(allocated) FROM stock_levels',
  'uses of the code': 'SELECT sum(used) FROM standard_promotion_codes',
  'usages of the code': 'SELECT count(*) FROM standard_promotion_usages',
  'orders that are not paid': `SELECT count(*) FROM orders WHERE payment <> 'paid' OR status <> 'complete'`,
  'transactions that are pending': `SELECT count(*) FROM order_transactions WHERE doc->>'status' = 'pending'`,
  'calls that are open': 'SELECT count(*) FROM errands WHERE ended_at IS NULL',
} as const

/** What has come of all orders, as soon as nothing is open, or when it should not be any more. */
async function settled(dataDir: string): Promise<Outcome> {
  const client = new pg.Client(findRunning(dataDir) ?? '')
  await client.connect()
  try {
    const endsAt = performance.now() + settlesMaxMs
    for (;;) {
      const outcome: Record<string, number> = {}
      for (const [what, text] of Object.entries(questions)) {
        const { rows } = await client.query({ text, rowMode: 'array' })
        outcome[what] = Number(rows[0]?.[0])
      }
      const open = outcome['transactions that are pending'] || outcome['calls that are open']
      if (!open || performance.now() > endsAt) return outcome
      await sleep(500)
    }
  } finally {
    await client.end()
  }
}

/** What must have come of so many checkouts; kills and starts are as they were. */
export const expectedOf = (
  checkouts: number,
  { kills = 0, starts = 0, 'received by Stripe': stripe = 0 }: Outcome,
): Outcome => ({
  orders: checkouts,
  'carts with orders': checkouts,
  'totals of orders': checkouts * 900,
  'paid, as orders say': checkouts * 900,
  'paid, as transactions say': checkouts * 900,
  'received by Stripe': stripe,
  'stock left': 0,
  'stock allocated': checkouts,
  'uses of the code': checkouts,
  'usages of the code': checkouts,
  'orders that are not paid': 0,
  'transactions that are pending': 0,
  'calls that are open': 0,
  'received by Stripe, by its own count': stripe,
  kills,
  starts,
})

import type { Config } from '../../server/config.ts'
import type { Database } from '../../server/kernel/storage/database.ts'
import { start } from '../../server/main.ts'
import { StartupRefusal } from '../../server/platform/faults.ts'
import { usedTable } from '../moving/empty-store.ts'
import type { Progress } from '../progress.ts'
import { type DecliningBank, openDecliningBank } from './declining-bank.ts'
import { makeShop, type ShopAddresses } from './make-shop.ts'
import { Merchant } from './merchant.ts'
import { PastClock } from './past-clock.ts'
import { nameOf, type ShopPlan } from './plan.ts'

/** What a demo shop is made with, and where. */
export interface ShopOrder {
  readonly config: Config
  /** The database, on which no other server runs. */
  readonly database: Database
  readonly databaseUrl: string
  readonly storeId: string
  readonly plan: ShopPlan
  /** Whether the store may have other data. */
  readonly force: boolean
  readonly progress: Progress
}

export interface SeededShop extends ShopAddresses {
  /** False if the store had this shop already. */
  readonly isNew: boolean
  /** The requests that have written something. */
  readonly writes: number
  /** The id by which a storefront gets tokens. */
  readonly clientId: string
}

const yearsS = 3 * 365 * 86_400

/**
 * Makes a demo shop in a store, with a year of its past. It starts a server of its own whose clock is in the past, and
 * uses the public operations only, so all rules hold.
 */
export async function seedShop(order: ShopOrder): Promise<SeededShop> {
  const { config, database, databaseUrl, storeId, plan } = order
  const used = await usedTable(database, storeId)
  const clock = new PastClock(plan.opens)
  const bank = await openDecliningBank()
  const server = await start(configOf(config, databaseUrl, bank), { clock })
  try {
    const key = await keyOf(database, storeId)
    const { token } = await server.instance.tokens.issue(storeId, key.id, 'client_credentials', false)
    const [counted, writesOfAll] = [{ writes: 0, last: 0 }, expectedWrites(plan)]
    const merchant = new Merchant(server, token, nameOf(plan), () => {
      counted.writes += 1
    })
    const step = (what: string) => {
      const { writes, last } = counted
      counted.last = writes
      order.progress.add(writes - last, 0, what, Math.min(writes / writesOfAll, 1))
    }
    const shop = await makeShop(merchant, clock, plan, {
      ...{ storeId, step },
      mayBegin: (isBegun) => {
        if (!used || isBegun || order.force) return
        throw new StartupRefusal(
          `the store has data (${used}) that is not a part of this demo shop: say the --size and --seed that it was made ` +
            'with, or use another store (sutler store add, then --store), another SUTLER_DATA_DIR, or --force, which ' +
            'adds the shop to what is there',
        )
      },
    })
    return { ...shop, writes: counted.writes, clientId: key.clientId }
  } finally {
    await server.stop()
    bank.close()
  }
}

/** A server beside which there is no other, for requests of this process only. */
const configOf = (config: Config, databaseUrl: string, bank: DecliningBank): Config => ({
  ...config,
  ...{ databaseUrl: inItsOwnTimes(databaseUrl), directDatabaseUrl: undefined },
  stripeUrl: bank.url,
  ...{ host: '127.0.0.1', port: 0, baseUrl: undefined, logLevel: 'silent', console: 'off' },
  ...{ metricsPort: undefined, traceEndpoint: undefined, requestRates: undefined, smtpUrl: undefined },
  // Each object has the id that its shop gives it; the token is valid all the year.
  ...{ keepsIds: true, tokenLifetimeS: yearsS },
})

/** A database that stores the times of the writes, although they are of the past: nobody has followed the store yet. */
const inItsOwnTimes = (databaseUrl: string): string =>
  `${databaseUrl}${databaseUrl.includes('?') ? '&' : '?'}options=${encodeURIComponent('-c sutler.keep_times=on')}`

async function keyOf(database: Database, storeId: string) {
  const [row] = await database.run({
    text: 'SELECT id, client_id FROM application_keys WHERE store_id = $1 ORDER BY created_at, id LIMIT 1',
    values: [storeId],
  })
  if (!row) throw new StartupRefusal('the store has no application key: sutler key add creates one')
  return { id: row[0] as string, clientId: row[1] as string }
}

/** An estimate, for the bar. */
const expectedWrites = ({ counts }: ShopPlan): number => {
  const { products, customers, accounts, orders, carts } = counts
  return (
    170 + products * 6.6 + customers * 2 + Math.min(customers, 100) + accounts * 7.5 + orders * 5 + carts * 2
  )
}

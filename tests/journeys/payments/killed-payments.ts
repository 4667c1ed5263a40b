import { afterEach, beforeEach } from 'vitest'
import { type OwnDatabase, ownDatabase } from '../../support/own-database.ts'
import { key, stopAfterEach } from '../../support/process.ts'
import { StripeDouble } from '../../support/stripe-double/index.ts'
import { secret } from '../../support/world.ts'

/** A database and a double of Stripe that outlive the processes of a test. */
export interface Survivors {
  readonly database: OwnDatabase
  readonly stripe: StripeDouble
  /** The settings of each process. */
  readonly settings: Readonly<Record<string, string>>
}

/** Gives each test survivors of its own, and stops its processes when it ends. */
export function useSurvivors(): Survivors {
  let database: OwnDatabase
  let stripe: StripeDouble
  beforeEach(async () => {
    database = await ownDatabase()
    stripe = await StripeDouble.open()
  })
  afterEach(async () => {
    await stripe.close()
    await database.drop()
  })
  // Vitest runs these from the last to the first.
  stopAfterEach()
  return {
    get database() {
      return database
    },
    get stripe() {
      return stripe
    },
    get settings() {
      return {
        ...{ ...key, DATABASE_URL: database.url },
        ...{ SUTLER_SECRET: secret, SUTLER_STRIPE_URL: stripe.url },
      }
    },
  }
}

/** How many calls to Stripe have no outcome. */
export const openCalls = async ({ database }: Survivors): Promise<number> =>
  (await database.sql('SELECT count(*)::int AS n FROM errands WHERE ended_at IS NULL')).rows[0].n

/** How many statements wait for a lock. */
export const waitingStatements = async ({ database }: Survivors): Promise<number> =>
  (
    await database.sql(
      `SELECT count(DISTINCT pid)::int AS n FROM pg_locks l JOIN pg_stat_activity a USING (pid)
       WHERE NOT l.granted AND a.datname = current_database()`,
    )
  ).rows[0].n

import type { Config } from '../server/config.ts'
import type { SeededShop } from '../tools/demo/seed-shop.ts'
import type { Progress } from '../tools/progress.ts'
import { command, flag, text } from './frame/command.ts'
import { WrongCall } from './frame/wrong-call.ts'

export const leavesPart =
  'what is made stays, and each order of it is whole. The same command goes on from there.'

/** The options of a demo shop, as they are called with. */
interface DemoOptions {
  readonly size?: string | undefined
  readonly seed?: string | undefined
  readonly store?: string | undefined
  readonly force?: boolean
}

/** Makes the demo shop in a store of this server, which does not run. */
export async function seedDemo(
  config: Config,
  progress: Progress,
  options: DemoOptions,
): Promise<SeededShop> {
  const { planFor, shopSizes } = await import('../tools/demo/plan.ts')
  const { size = 'm', seed = '1', store, force = false } = options
  if (!isKeyOf(shopSizes, size)) {
    throw new WrongCall(`--size must be one of ${Object.keys(shopSizes).join(', ')}`)
  }
  const { systemClock: clock } = await import('../server/kernel/clock.ts')
  const { prepareDatabase } = await import('../server/prepare-database.ts')
  const { chooseStore } = await import('../tools/choose-store.ts')
  const { openDatabase } = await import('../tools/open-database.ts')
  const { seedShop } = await import('../tools/demo/seed-shop.ts')
  const opened = await openDatabase(config, false)
  try {
    const { database, url: databaseUrl } = opened
    // A new server has its first start here, so that its first key is known.
    await prepareDatabase(config, database, clock)
    const storeId = await chooseStore(database, store)
    const plan = planFor(size, seed, clock.now())
    return await seedShop({ config, database, databaseUrl, storeId, plan, force, progress })
  } finally {
    await opened.close()
  }
}

const isKeyOf = <T extends object>(object: T, key: string): key is keyof T & string =>
  Object.hasOwn(object, key)

/** How to look at the shop: in the console, and with a storefront. */
export const howToUse = ({ admin, clientId, accountRealm, passwordProfile }: SeededShop): string =>
  [
    `sutler colleague link ${admin} prints a link to sign in to the console.`,
    'Storefronts take these settings:\n',
    `NEXT_PUBLIC_EPCC_CLIENT_ID=${clientId}`,
    `NEXT_PUBLIC_AUTHENTICATION_REALM_ID=${accountRealm}`,
    `NEXT_PUBLIC_PASSWORD_PROFILE_ID=${passwordProfile}`,
  ].join('\n')

export const seed = command({
  name: 'seed',
  group: 'Data',
  about: 'Fills an empty store with a demo shop, on a server that does not run.',
  details:
    'The shop has a year of its past: products with pictures, prices, catalogs, promotions, customers, accounts, orders\n' +
    'with payments and refunds. All of it is made by the rules of the API, and the same seed makes the same shop. A new data\n' +
    'directory or database gets its first start here, and the first key is printed.',
  options: {
    demo: flag('The demo shop. There is nothing else to seed.'),
    size: text('s|m|l', 'How large the shop is: 60, 1,500 or 15,000 orders. By default m.'),
    seed: text('text', 'What the shop is drawn from. By default 1.'),
    store: text('id', 'The store, where the server has several.'),
    force: flag('Also adds the shop to a store that has other data. It deletes nothing.'),
  },
  examples: [
    ['sutler seed --demo', 'the shop in ./data; sutler start serves it'],
    ['sutler seed --demo --size s', 'a small shop, within seconds'],
  ],
  leaves: 'what is made stays, and each order of it is whole. The same command goes on from there.',
  async run({ options, progress }) {
    if (!options.demo) throw new WrongCall('say what to seed: sutler seed --demo')
    const { readConfig } = await import('../server/config.ts')
    const shop = await seedDemo(readConfig(), progress, options)
    const { isNew, writes, clientId, accountRealm, passwordProfile, admin } = shop
    return {
      text: [
        isNew ? `The demo shop is ready: ${progress.summary()}.` : 'The demo shop is there already.',
        `sutler start serves it. ${howToUse(shop)}`,
      ].join('\n'),
      data: {
        ...{ seeded: isNew, writes, client_id: clientId, admin },
        ...{ authentication_realm_id: accountRealm, password_profile_id: passwordProfile },
      },
    }
  },
})

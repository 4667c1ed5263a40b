import { type Command, command, text } from './frame/command.ts'
import { WrongCall } from './frame/wrong-call.ts'

export const storeCommands: readonly Command[] = [
  command({
    name: 'store add',
    group: 'People',
    about: 'Creates a store with a key, whose secret is shown once.',
    details: 'It works beside running servers. A process of its own gives the store what every store has.',
    args: [['name', 'The name of the store.']],
    examples: [['sutler store add "Outlet"', 'a second store on this server']],
    leaves: 'the store may exist without a key: sutler store list shows it, and sutler key add gives it one.',
    async run({ args: [name = ''] }) {
      const { withDatabase } = await import('./frame/with-database.ts')
      const { start } = await import('../server/main.ts')
      const { createStore } = await import('../server/stores.ts')
      const { OperatorKeys } = await import('../server/people/index.ts')
      const { systemClock } = await import('../server/kernel/clock.ts')
      return withDatabase(async (database, config, databaseUrl) => {
        const beside = { ...config, databaseUrl, port: 0, host: '127.0.0.1', logLevel: 'silent' } as const
        // Before the store exists, so that a new server has its own first store and key.
        await (await start(beside)).stop()
        const id = await database.transaction((connection) =>
          createStore(connection, name, systemClock.now()),
        )
        await (await start(beside)).stop()
        const key = await new OperatorKeys(database, id, () => systemClock.now()).add('First key')
        return {
          text: `The store ${id} (${name}) is ready.\nSUTLER_CLIENT_ID=${key.clientId}\nSUTLER_CLIENT_SECRET=${key.clientSecret}`,
          data: { id, name, client_id: key.clientId, client_secret: key.clientSecret },
        }
      })
    },
  }),
  command({
    name: 'store list',
    group: 'People',
    about: 'Shows the stores of this server.',
    examples: [['sutler store list', 'their ids and names']],
    async run() {
      const { withDatabase } = await import('./frame/with-database.ts')
      const { listStores } = await import('../server/stores.ts')
      const stores = await withDatabase((database) => listStores(database))
      return {
        text: stores
          .map(
            ({ id, name, createdAt, rates }) =>
              `${id}  ${name}  (since ${createdAt}${rates ? `, ${rates}` : ''})`,
          )
          .join('\n'),
        data: {
          stores: stores.map(({ createdAt, rates = null, ...store }) => ({
            ...store,
            created_at: createdAt,
            rates,
          })),
        },
      }
    },
  }),
  command({
    name: 'store rename',
    group: 'People',
    about: 'Gives a store another name.',
    args: [['name', 'The new name.']],
    options: { store: text('id', 'The store, where the server has several.') },
    examples: [['sutler store rename "Bloom & Sons"', 'the only store of a server']],
    leaves: 'nothing has changed.',
    async run({ args: [name = ''], options }) {
      const { withStore } = await import('./frame/with-database.ts')
      const { renameStore } = await import('../server/stores.ts')
      const id = await withStore(options.store, async (database, storeId) => {
        await database.transaction((connection) => renameStore(connection, storeId, name))
        return storeId
      })
      return { text: `The store ${id} is now called ${name}.`, data: { id, name } }
    },
  }),
  command({
    name: 'store rate',
    group: 'People',
    about: 'Gives a store rates of its own, in place of those of SUTLER_RATE.',
    details:
      'Running servers use them within five seconds. The rates are written as in SUTLER_RATE; "none" is no limit, and ' +
      '"default" goes back to SUTLER_RATE.',
    args: [['rates', 'The requests a second, such as store:200,key:100; or none, or default.']],
    options: { store: text('id', 'The store, where the server has several.') },
    examples: [
      ['sutler store rate store:200', 'at most 200 requests a second in the only store of a server'],
      ['sutler store rate default --store <id>', 'what SUTLER_RATE says, as for other stores'],
    ],
    leaves: 'nothing has changed.',
    async run({ args: [rates = ''], options }) {
      const { withStore } = await import('./frame/with-database.ts')
      const { changeStoreRates } = await import('../server/stores.ts')
      const { parseRequestRates, requestRatesAccepted } = await import(
        '../server/kernel/auth/request-rates.ts'
      )
      const own = rates === 'default' ? null : rates.replaceAll(/\s/g, '')
      if (own !== null && !parseRequestRates(own)) {
        throw new WrongCall(
          `${JSON.stringify(rates)} is not a list of rates: send ${requestRatesAccepted}, or default for those of SUTLER_RATE`,
        )
      }
      const id = await withStore(options.store, async (database, storeId) => {
        await changeStoreRates(database, storeId, own)
        return storeId
      })
      return {
        text:
          own === null
            ? `The store ${id} has the rates of SUTLER_RATE.`
            : `The store ${id} has the rates ${own}.`,
        data: { id, rates: own },
      }
    },
  }),
]

import { type Command, command, text } from './frame/command.ts'

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
      const { withDatabase } = await import('./with-database.ts')
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
      const { withDatabase } = await import('./with-database.ts')
      const { listStores } = await import('../server/stores.ts')
      const stores = await withDatabase((database) => listStores(database))
      return {
        text: stores.map(({ id, name, createdAt }) => `${id}  ${name}  (since ${createdAt})`).join('\n'),
        data: { stores: stores.map(({ id, name, createdAt }) => ({ id, name, created_at: createdAt })) },
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
      const { withStore } = await import('./with-database.ts')
      const { renameStore } = await import('../server/stores.ts')
      const id = await withStore(options.store, async (database, storeId) => {
        await database.transaction((connection) => renameStore(connection, storeId, name))
        return storeId
      })
      return { text: `The store ${id} is now called ${name}.`, data: { id, name } }
    },
  }),
]

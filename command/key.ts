import type { OperatorKeys } from '../server/people/index.ts'
import { type Command, command, text } from './frame/command.ts'

const options = { store: text('id', 'The store, where the server has several.') }
const clientId = ['client-id', 'The key, by its client id.'] as const
const nothing = 'nothing has changed.'

/** The keys of one store, for a command that may run beside a server. */
async function withKeys<T>(store: string | undefined, work: (keys: OperatorKeys) => Promise<T>): Promise<T> {
  const { withStore } = await import('./frame/with-database.ts')
  const people = await import('../server/people/index.ts')
  const { systemClock } = await import('../server/kernel/clock.ts')
  return withStore(store, (database, storeId) =>
    work(new people.OperatorKeys(database, storeId, () => systemClock.now())),
  )
}

async function refuseUnknown(id: string): Promise<never> {
  const { StartupRefusal } = await import('../server/platform/faults.ts')
  throw new StartupRefusal(`there is no key ${id} in this store: sutler key list shows them`)
}

const credentialLines = (id: string, secret: string) =>
  `SUTLER_CLIENT_ID=${id}\nSUTLER_CLIENT_SECRET=${secret}`

export const keyCommands: readonly Command[] = [
  command({
    name: 'key add',
    group: 'People',
    about: 'Creates an application key. Its secret is shown once.',
    args: [['name', 'What the key is for.']],
    options,
    examples: [['sutler key add "Storefront"', 'a key for a storefront, also while the server runs']],
    leaves: nothing,
    async run({ args: [name = ''], options: { store } }) {
      const added = await withKeys(store, (keys) => keys.add(name))
      return {
        text: credentialLines(added.clientId, added.clientSecret),
        data: { name, client_id: added.clientId, client_secret: added.clientSecret },
      }
    },
  }),
  command({
    name: 'key list',
    group: 'People',
    about: 'Shows the application keys, without their secrets.',
    options,
    examples: [['sutler key list --json', 'for programs']],
    async run({ options: { store } }) {
      const listed = await withKeys(store, (keys) => keys.list())
      return {
        text: listed
          .map(
            ({ clientId: id, name, lastUsedAt }) =>
              `${id}  ${name}  (${lastUsedAt ? `used ${lastUsedAt}` : 'never used'})`,
          )
          .join('\n'),
        data: {
          keys: listed.map(({ clientId: id, name, createdAt, lastUsedAt }) => ({
            ...{ client_id: id, name, created_at: createdAt, last_used_at: lastUsedAt ?? null },
          })),
        },
      }
    },
  }),
  command({
    name: 'key rotate',
    group: 'People',
    about: 'Gives a key a new secret, which is shown once. The old secret ends at once.',
    details:
      'Tokens that were made with the old secret stay valid until they expire: delete the key to end them.',
    args: [clientId],
    options,
    examples: [['sutler key rotate 5784827e…', 'after a secret was lost']],
    leaves: nothing,
    async run({ args: [id = ''], options: { store } }) {
      const secret = (await withKeys(store, (keys) => keys.rotate(id))) ?? (await refuseUnknown(id))
      return { text: credentialLines(id, secret), data: { client_id: id, client_secret: secret } }
    },
  }),
  command({
    name: 'key delete',
    group: 'People',
    about: 'Deletes a key. Its tokens end within a second.',
    args: [clientId],
    options,
    examples: [['sutler key delete 5784827e…', 'after a secret was stolen']],
    leaves: nothing,
    async run({ args: [id = ''], options: { store } }) {
      if (!(await withKeys(store, (keys) => keys.remove(id)))) await refuseUnknown(id)
      return { text: `The key ${id} is deleted.`, data: { client_id: id, deleted: true } }
    },
  }),
]

import type { OperatorColleagues } from '../server/people/index.ts'
import { type Command, command, text } from './frame/command.ts'
import { WrongCall } from './frame/wrong-call.ts'

const store = text('id', 'The store, where the server has several.')
const email = ['email', 'The email address of the colleague.'] as const
const nothing = 'nothing has changed.'

/** The colleagues of one store, for a command that may run beside a server, and the address of the server. */
async function withColleagues<T>(
  wanted: string | undefined,
  work: (colleagues: OperatorColleagues, baseUrl: string) => Promise<T>,
): Promise<T> {
  const { withStore } = await import('./frame/with-database.ts')
  const people = await import('../server/people/index.ts')
  const { systemClock } = await import('../server/kernel/clock.ts')
  const { serverAddress } = await import('./frame/server-address.ts')
  return withStore(wanted, (database, storeId) =>
    work(new people.OperatorColleagues(database, storeId, () => systemClock.now()), serverAddress()),
  )
}

async function refuseUnknown(address: string): Promise<never> {
  const { StartupRefusal } = await import('../server/platform/faults.ts')
  throw new StartupRefusal(`there is no colleague ${address} in this store: sutler colleague list shows them`)
}

async function roleNamed(role: string | undefined) {
  const { OperatorColleagues } = await import('../server/people/index.ts')
  if (role !== undefined && OperatorColleagues.roles.includes(role)) return role
  throw new WrongCall(`--role must be one of ${OperatorColleagues.roles.join(', ')}`)
}

function mustBeAddress(address: string): void {
  if (/^[^\s@]+@[^\s@]+$/.test(address)) return
  throw new WrongCall(`${JSON.stringify(address)} is not an email address: send one such as ada@example.com`)
}

const linkText = (link: string) => `This link sets the password once, within three days:\n\n${link}`

export const colleagueCommands: readonly Command[] = [
  command({
    name: 'colleague add',
    group: 'People',
    about: 'Gives a person a role in a store, and prints a link that sets their password.',
    args: [email],
    options: { store, role: text('role', 'The role, such as store-admin or support.') },
    examples: [['sutler colleague add ada@example.com --role store-admin', 'the first colleague of a store']],
    leaves: nothing,
    async run({ args: [address = ''], options }) {
      const role = await roleNamed(options.role)
      mustBeAddress(address)
      const link = await withColleagues(options.store, (colleagues, baseUrl) =>
        colleagues.add(address, role, baseUrl),
      )
      return { text: linkText(link), data: { email: address, role, link } }
    },
  }),
  command({
    name: 'colleague list',
    group: 'People',
    about: 'Shows the colleagues with their roles.',
    options: { store },
    examples: [['sutler colleague list --json', 'for programs']],
    async run({ options }) {
      const listed = await withColleagues(options.store, (colleagues) => colleagues.list())
      return {
        text: listed.map(({ email: address, role, name }) => `${address}  ${role}  ${name}`).join('\n'),
        data: {
          colleagues: listed.map(({ signedInAt, ...one }) => ({ ...one, signed_in_at: signedInAt ?? null })),
        },
      }
    },
  }),
  command({
    name: 'colleague link',
    group: 'People',
    about: 'Prints another link that sets the password of a colleague once. An earlier link ends.',
    args: [email],
    options: { store },
    examples: [['sutler colleague link ada@example.com', 'after a password was forgotten']],
    leaves: nothing,
    async run({ args: [address = ''], options }) {
      const link =
        (await withColleagues(options.store, (colleagues, baseUrl) => colleagues.link(address, baseUrl))) ??
        (await refuseUnknown(address))
      return { text: linkText(link), data: { email: address, link } }
    },
  }),
  command({
    name: 'colleague end',
    group: 'People',
    about: 'Ends the sign-ins of a colleague, within a second. The role stays.',
    args: [email],
    options: { store },
    examples: [['sutler colleague end ada@example.com', 'after a computer was stolen']],
    leaves: nothing,
    async run({ args: [address = ''], options }) {
      const ended =
        (await withColleagues(options.store, (colleagues) => colleagues.end(address))) ??
        (await refuseUnknown(address))
      return { text: `Ended ${ended} sign-ins of ${address}.`, data: { email: address, ended } }
    },
  }),
]

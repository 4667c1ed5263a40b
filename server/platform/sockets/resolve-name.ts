import { lookup, Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { ResolveName } from './checked-lookup.ts'

/** How long a name server may take, and how often it is asked. */
const patience = { timeout: 2_000, tries: 2 }

/** Asks as all programs of the system do. It occupies one of the few threads of Node until there is an answer. */
export const askSystem: ResolveName = async (name) =>
  (await lookup(name, { all: true })).map(({ address }) => address)

/**
 * Asks the name servers without a thread, so that names which nobody answers for do not delay others. What only the
 * system knows (its hosts file, its search domains) is looked up one name at a time, and only when the name servers
 * have said that there is no such name.
 */
export function nameResolver(servers?: readonly string[]): ResolveName {
  const resolver = new Resolver(patience)
  if (servers) resolver.setServers(servers)
  let earlier: Promise<unknown> = Promise.resolve()
  const askSystemInTurn: ResolveName = (name) => {
    const found = earlier.then(() => askSystem(name))
    earlier = found.catch(() => {})
    return found
  }
  return async (name) => {
    if (isIP(name)) return [name]
    if (/^(.+\.)?localhost\.?$/i.test(name)) return ['127.0.0.1', '::1']
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    if (addresses.length) return addresses
    const failure = answers.find((answer) => answer.status === 'rejected' && !isNegative(answer.reason))
    if (failure?.status === 'rejected') throw failure.reason
    return askSystemInTurn(name)
  }
}

/** Whether a name server has answered that there is nothing. */
const isNegative = (error: unknown): boolean =>
  ['ENOTFOUND', 'ENODATA', 'EBADNAME'].includes((error as NodeJS.ErrnoException).code ?? '')

import { isIP, type LookupFunction } from 'node:net'

/** Whether a connection to an IP address is allowed. */
export type MayConnect = (address: string) => boolean

/** Returns the addresses of a host name. */
export type ResolveName = (name: string) => Promise<readonly string[]>

/** A host that has no allowed address. */
export class RefusedHost extends Error {
  override readonly name = 'RefusedHost'
}

/** Throws the refusal of a host none of whose addresses is allowed. */
type RefuseHost = (host: string, addresses: readonly string[]) => never

/**
 * A lookup for sockets and agents that returns only allowed addresses. The socket connects to exactly these, so a name
 * that resolves differently a moment later changes nothing.
 */
export const checkedLookup =
  (resolve: ResolveName, mayConnect: MayConnect, refuse: RefuseHost): LookupFunction =>
  (name, { all }, done) => {
    resolve(name)
      .then((addresses) => allowedOf(name, addresses, mayConnect, refuse))
      .then(
        (allowed) => {
          const records = allowed.map((address) => ({ address, family: isIP(address) }))
          if (all) done(null, records)
          else done(null, records[0]?.address ?? '', records[0]?.family)
        },
        (error: NodeJS.ErrnoException) => done(error, all ? [] : ''),
      )
  }

/** Refuses a host of a URL that is an address that is not allowed. Sockets look up names only. */
export function mustAllowLiteral(hostname: string, mayConnect: MayConnect, refuse: RefuseHost): void {
  const literal = hostname.replace(/^\[|\]$/g, '')
  if (isIP(literal)) allowedOf(literal, [literal], mayConnect, refuse)
}

function allowedOf(host: string, addresses: readonly string[], mayConnect: MayConnect, refuse: RefuseHost) {
  const allowed = addresses.filter((address) => mayConnect(address))
  return allowed.length ? allowed : refuse(host, addresses)
}

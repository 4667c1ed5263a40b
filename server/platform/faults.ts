/** The server cannot start, for a reason its operator can mend. Printed as one line; the process exits with 1. */
export class StartupError extends Error {
  override readonly name = 'StartupError'
}

/** What the server depends on is away or full. The same request may succeed later. Clients read `message`. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable'
}

/** The client has closed its connection: there is nobody to answer, and nothing to mend. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone'
}

/**
 * The server cannot start, for a reason that the operator can fix. The message is one line; the process exits with 1.
 */
export class StartupError extends Error {
  override readonly name = 'StartupError'
}

/** Something that the server depends on is away or full. The same request may succeed later. Clients see `message`. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable'
}

/** The client has closed its connection, so there is no one to respond to. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone'
}

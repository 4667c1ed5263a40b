/**
 * The server cannot start, or a command cannot do its work, for a reason that the operator can fix. The message is one
 * line.
 */
export class StartupError extends Error {
  override readonly name = 'StartupError'
}

/** The operator must say something else first, and nothing has changed: a file that is there, a server that runs. */
export class StartupRefusal extends StartupError {}

/** A setting does not have a value that is accepted. */
export class WrongSetting extends StartupError {}

/** Something that the server depends on is away or full. The same request may succeed later. Clients see `message`. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable'
}

/** The client has closed its connection, so there is no one to respond to. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone'
}

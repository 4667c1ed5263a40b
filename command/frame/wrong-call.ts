/** The command cannot be run as it was called. The message is one line. */
export class WrongCall extends Error {
  override readonly name = 'WrongCall'
}

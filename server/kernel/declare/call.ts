/** The parts of a request that the five operations of a resource read. */
export interface Call {
  readonly params: Readonly<Record<string, string>>
  /** Path and raw query of the request's URL. */
  readonly path: string
  readonly query: string
  readonly ifMatch: string | undefined
  readonly body: unknown
  /** Aborts when the client closes its connection, for an operation that waits. */
  hungUp(): AbortSignal
}

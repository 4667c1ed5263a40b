/** The request, as far as the five operations of a resource look at it. */
export interface Call {
  readonly params: Readonly<Record<string, string>>
  /** Path and raw query of the request's URL. */
  readonly path: string
  readonly query: string
  readonly ifMatch: string | undefined
  readonly body: unknown
}

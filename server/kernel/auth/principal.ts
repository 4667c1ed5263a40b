/** Who is calling, as a verified token says. */
export interface Principal {
  readonly storeId: string
  /** A column of the access table. */
  readonly kind: string
  /** The grant of the access token: the kind of a caller who brings no other token. */
  readonly grant: string
  /** The application key behind the token. */
  readonly keyId: string
  /** The author in the change feed: the key, or the shopper. */
  readonly actor: string
  /** Who may repeat a request: the actor, or the bearer of one token where the token names nobody. */
  readonly caller: string
  /** The person behind a shopper's token, which narrows what its bearer may see. */
  readonly shopper?: Shopper
}

export interface Shopper {
  readonly id: string
  /** The other claims of the token. */
  readonly claims: Readonly<Record<string, unknown>>
  /** The claims about the sign-in, and not about the person or whom they call on behalf of. */
  readonly session: Readonly<Record<string, unknown>>
}

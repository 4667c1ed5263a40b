/** The caller, from a verified token. */
export interface Principal {
  readonly storeId: string
  /** The kind of caller: a column of the access table. */
  readonly kind: string
  /** The grant of the access token: the kind of a caller without a shopper token. */
  readonly grant: string
  /** The application key that the token belongs to; of a person who has signed in, the person. */
  readonly keyId: string
  /** The sign-in of a person of the store, who needs no application key. */
  readonly sessionId?: string
  /** The author in the change feed: the key, or the shopper. */
  readonly actor: string
  /** The owner of an Idempotency-Key: the actor, or the single token if it names no person. */
  readonly caller: string
  /** The person of a shopper token, which limits what its bearer may see. */
  readonly shopper?: Shopper
}

export interface Shopper {
  readonly id: string
  /** The other claims of the token. */
  readonly claims: Readonly<Record<string, unknown>>
  /** The claims about the sign-in, not about the person or whom they act for. */
  readonly session: Readonly<Record<string, unknown>>
}

/**
 * Whether the caller has the secret of an application key: a server that calls for many people, also where it sends a
 * shopper's token beside its own. Ask for the `kind` where that token narrows what the caller may do.
 */
export const hasSecret = ({ grant }: Pick<Principal, 'grant'>): boolean => grant === 'client_credentials'

/**
 * Whether the caller acts for the store: a server with its secret, or a person of the store. The access table says what
 * each may do. Also where a shopper's token comes beside theirs.
 */
export const isSeller = (who: Pick<Principal, 'grant' | 'sessionId'>): boolean =>
  hasSecret(who) || who.sessionId !== undefined

/** As `isSeller`, and no shopper's token narrows what the caller may do. */
export const actsAsSeller = (who: Pick<Principal, 'grant' | 'sessionId' | 'shopper'>): boolean =>
  isSeller(who) && who.shopper === undefined

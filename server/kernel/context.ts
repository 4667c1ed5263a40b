import type { Logger } from 'pino'
import type { AccessTable } from './auth/access.ts'
import type { Tokens } from './auth/tokens.ts'
import type { Clock } from './clock.ts'
import type { Job } from './jobs.ts'
import type { Mailer } from './mail.ts'
import type { Resource, Row } from './resource.ts'
import type { Database } from './storage/database.ts'
import type { Store } from './storage/store.ts'

/** Who is calling: what a token says, once it was verified. */
export interface Principal {
  readonly storeId: string
  /** A column of the access table. */
  readonly kind: string
  /** The application key behind the token. */
  readonly keyId: string
  /** Whom the change feed names: the key, or the shopper. */
  readonly actor: string
  /** The person behind a shopper's token, which narrows what its bearer may see. */
  readonly shopper?: Shopper
}

export interface Shopper {
  readonly id: string
  /** What else the token says. */
  readonly claims: Readonly<Record<string, unknown>>
}

/** A token that says, beside the bearer token, which person is calling. */
export interface ShopperToken {
  /** In lower case. */
  readonly header: string
  /** The column of the access table for who brings one. */
  readonly kind: string
  /** Who it is; a Problem (401) when the token is not good for this store. */
  verify(instance: Instance, storeId: string, token: string): Promise<Shopper>
}

/** What belongs to no store: the process, and what all stores share. */
export interface Instance {
  readonly database: Database
  readonly tokens: Tokens
  readonly access: AccessTable
  readonly shopperTokens: readonly ShopperToken[]
  readonly clock: Clock
  readonly log: Logger
  /** Signs the shopper tokens of one kind. */
  readonly shopperTokenKey: (kind: string) => Uint8Array
  /** Signs the cursors of lists. */
  readonly cursorKey: Uint8Array
  /** Encrypts the secrets that must be replayed. */
  readonly sealKey: Uint8Array
  readonly mail: Mailer | undefined
  /** Told what a read is answered with, when nothing can refuse it any more. It must not keep the answer waiting. */
  readonly onRead: (ctx: Ctx, resource: Resource, rows: readonly Row[]) => void
  /** Whether passwords are held to more than their length. The modules that have passwords say to what. */
  readonly strictPasswords: boolean
  /** The address clients use, when it is fixed by a setting. */
  readonly baseUrl: string | undefined
}

/** All that a handler may use. */
export interface Ctx {
  /** The caller's store: there is no way to reach another's rows. */
  readonly store: Store
  readonly who: Principal
  readonly clock: Clock
  readonly requestId: string
  /** Where the request came from: an IP address. */
  readonly clientAddress: string
  /** Scheme, host and port as the client wrote them, without a trailing slash. */
  readonly baseUrl: string
  /** For the few handlers that belong to no store. */
  readonly instance: Instance
  /** Queues a job; inside a transaction it is queued with the change, or not at all. */
  later<P>(job: Job<P>, payload: P, key?: string): Promise<void>
}

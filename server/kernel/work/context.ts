import type { Logger } from 'pino'
import type { Blobs } from '../../platform/blobs/blobs.ts'
import type { AccessTable } from '../auth/access.ts'
import type { Keys } from '../auth/keys.ts'
import type { Principal, Shopper } from '../auth/principal.ts'
import type { Tokens } from '../auth/tokens.ts'
import type { Clock } from '../clock.ts'
import type { Answer } from '../shape/answer.ts'
import type { ApiDocument } from '../shape/api-document.ts'
import type { Model, OwnModel, Row } from '../shape/model.ts'
import type { Database } from '../storage/database.ts'
import { authorOf, type Store } from '../storage/store.ts'
import type { Job, LongJob, Schedule } from './job.ts'
import type { Mailer } from './mail.ts'
import { queue, queueLong } from './queue.ts'

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
  readonly shopperTokenKeys: (kind: string) => Keys
  /** Signs the cursors of lists. */
  readonly cursorKeys: Keys
  /** Signs links that are good without a token, for a while. */
  readonly linkKeys: Keys
  /** Encrypts the secrets that must be replayed. */
  readonly sealKeys: Keys
  readonly mail: Mailer | undefined
  readonly blobs: Blobs
  /** Told what a read is answered with, when nothing can refuse it any more. It must not keep the answer waiting. */
  readonly onRead: (ctx: Ctx, model: Model, row: Row) => void
  /** Told when something may have been written in a store. It must not keep the answer waiting. */
  readonly onWrite: (storeId: string) => void
  /** Whether the server may connect to an IP address, where it is for someone else to say where to. */
  readonly mayConnect: (address: string) => boolean
  /** Whether passwords are held to more than their length. The modules that have passwords say to what. */
  readonly strictPasswords: boolean
  /** Of everything the server does; of one store, where its resources are told. */
  readonly apiDocument: (own?: OwnModel) => ApiDocument
  /** Whether shoppers may ask why an answer is as it is, too. */
  readonly explainsToShoppers: boolean
  /** The address clients use, when it is fixed by a setting. */
  readonly baseUrl: string | undefined
}

/** What a piece of work is done for. */
interface Occasion {
  readonly store: Store
  readonly who: Principal
  readonly requestId: string
  readonly instance: Instance
}

/** What rules and jobs may use: one store, on someone's behalf. */
export class Work {
  /** The store: there is no way to reach another's rows. */
  readonly store: Store
  /** On whose behalf; of a job, whoever asked for it. */
  readonly who: Principal
  /** The request that it is done for. */
  readonly requestId: string
  /** For what belongs to no store. */
  readonly instance: Instance
  /** Whether all writes are undone at the end: see `rehearse`. */
  readonly isRehearsal: boolean = false

  constructor({ store, who, requestId, instance }: Occasion) {
    this.store = store
    this.who = who
    this.requestId = requestId
    this.instance = instance
  }

  get clock(): Clock {
    return this.instance.clock
  }

  /** Queues a job for this store; inside a transaction it is queued with the change, or not at all. */
  async later<P>(job: Job<P>, payload: P, schedule?: Schedule): Promise<void>
  async later<P>(job: LongJob<P>, payload: P): Promise<void>
  async later<P>(job: Job<P> | LongJob<P>, payload: P, schedule?: Schedule): Promise<void> {
    if (this.isRehearsal) return
    if (job.long) await queueLong(this.store, job, payload)
    else await queue(this.store, job, payload, schedule)
  }

  /** Runs a part in one transaction: the one that is open, or one of its own. Nothing in it may leave the machine. */
  async transaction<T>(run: (inside: this) => Promise<T>): Promise<T> {
    if (this.store.inTransaction) return run(this)
    return this.store.transaction((store) => run(this.with({ store })))
  }

  /**
   * A dry run: runs a part as `transaction` does, returns its result, and undoes its writes. It queues no job. The
   * caller leaves out requests to other servers.
   */
  async rehearse<T>(run: (inside: this) => Promise<T>): Promise<T> {
    return this.transaction((inside) => inside.store.undo(() => run(inside.with({ isRehearsal: true }))))
  }

  /** As `transaction`, of its own; all that is read in it is of one moment. */
  async snapshot<T>(run: (inside: this) => Promise<T>): Promise<T> {
    if (this.store.inTransaction) throw new Error('a snapshot cannot begin inside a transaction')
    return this.store.transaction((store) => run(this.with({ store })), 'snapshot')
  }

  /** On behalf of someone whom the request only then knows: they are the author of what is recorded. */
  actingAs(actor: string): this {
    const store = this.store.by(authorOf(actor, this.requestId))
    return this.with({ store, who: { ...this.who, actor } })
  }

  protected with(changes: Partial<Occasion & Pick<Work, 'isRehearsal'>>): this {
    return Object.assign(Object.create(Object.getPrototypeOf(this)), this, changes)
  }
}

/** Where a request has an Idempotency-Key: what `callOut` and `once` tell each other. */
export interface KeyedRequest {
  /** The row of `idempotency_keys`. */
  readonly name: string
  /** An earlier request with the key committed it. */
  intentId: string | undefined
  /** Stores the answer, in the transaction of the outcome. */
  store(work: Ctx, answer: Answer): Promise<void>
}

/** All that a handler may use. */
export class Ctx extends Work {
  /** Where the request came from: an IP address. */
  readonly clientAddress: string
  /** Scheme, host and port as the client wrote them, without a trailing slash. */
  readonly baseUrl: string
  /** What the request calls objects that have a key, by their ids: links repeat it. */
  readonly names = new Map<string, string>()
  /** Of a request with an Idempotency-Key that may call another server. */
  readonly keyed: KeyedRequest | undefined

  constructor(
    occasion: Occasion & Pick<Ctx, 'clientAddress' | 'baseUrl'> & { readonly keyed?: KeyedRequest },
  ) {
    super(occasion)
    this.keyed = occasion.keyed
    this.clientAddress = occasion.clientAddress
    this.baseUrl = occasion.baseUrl
  }
}

import type { Logger } from 'pino'
import type { Blobs } from '../../platform/blobs/blobs.ts'
import type { AccessTable, Persons } from '../auth/access.ts'
import type { Keys } from '../auth/keys.ts'
import type { Principal, Shopper } from '../auth/principal.ts'
import type { RequestRates } from '../auth/request-rates.ts'
import type { Tokens } from '../auth/tokens.ts'
import type { Clock } from '../clock.ts'
import type { Answer, LineFormat } from '../shape/answer.ts'
import type { ApiDocument } from '../shape/api-document.ts'
import type { ListQuery } from '../shape/list-query.ts'
import type { Model, OwnModel, Row } from '../shape/model.ts'
import type { Database } from '../storage/database.ts'
import type { Home, Homes } from '../storage/nodes/homes.ts'
import type { Nodes } from '../storage/nodes/nodes.ts'
import { authorOf, Store } from '../storage/store.ts'
import type { TransactionKind } from '../storage/transaction.ts'
import type { Exports } from './exports.ts'
import type { Job, LongJob, Schedule } from './job.ts'
import type { Mailer } from './mail.ts'
import type { Outbox } from './outbox.ts'
import { queue, queueLong } from './queue.ts'

/** A token beside the bearer token that names the person who is calling. */
export interface ShopperToken {
  /** In lower case. */
  readonly header: string
  /** The caller kind of its bearer: a column of the access table. */
  readonly kind: string
  /** Returns the person; throws a Problem (401) if the token is not valid for this store. */
  verify(instance: Instance, storeId: string, token: string): Promise<Shopper>
}

/** Tells readers when a store has new changes in its feed. */
export interface FeedWatch {
  /**
   * Resolves when the store's feed has a change after the position, when the signal aborts, or when the server stops.
   */
  past(storeId: string, position: number, signal: AbortSignal): Promise<void>
  /** Whether the server is stopping: readers must not wait for more. */
  readonly isStopped: boolean
  /**
   * Calls the listener with the stores to whose feeds this process has added changes. The returned function ends this.
   */
  onChange(listener: (storeIds: readonly string[]) => void): () => void
}

/** The rows that an export has shown so far. */
export interface Reads {
  add(model: Model, row: Row): void
  /** Whether the rows of a list can be added by their ids. */
  takesIds(model: Model): boolean
  /** Adds rows of one list by their ids. */
  addIds(model: Model, ids: readonly string[], scope: readonly string[]): void
  /** Stores them, if many wait or have waited for long. With `all`, stores the last ones too. */
  flush(all?: boolean): Promise<void>
}

/** What belongs to no store: the process, and what all stores share. */
export interface Instance {
  readonly database: Database
  /** Where the statements of each store are sent. What concerns no store, or many, is sent to `database`. */
  readonly homes: Homes
  /** The same for requests that only read: the database, its replicas, or the node of the store. */
  readonly readers: Homes<Pick<Home, 'reading'>>
  readonly nodes: Nodes
  /** Takes the jobs of stores where these are on several nodes. */
  readonly outbox: Pick<Outbox, 'note' | 'wake'> | undefined
  /** The name of this process. A session holds its lock while the process lives: see `WorkerSession`. */
  readonly processName: string
  readonly tokens: Tokens
  readonly access: AccessTable
  readonly persons: Persons
  readonly shopperTokens: readonly ShopperToken[]
  readonly clock: Clock
  readonly log: Logger
  /** Signs the shopper tokens of one kind. */
  readonly shopperTokenKeys: (kind: string) => Keys
  /** Signs the cursors of lists. */
  readonly cursorKeys: Keys
  /** Signs links that are valid without a token for a limited time. */
  readonly linkKeys: Keys
  /** Encrypts secrets that the server must be able to read again. */
  readonly sealKeys: Keys
  readonly mail: Mailer | undefined
  readonly blobs: Blobs
  /** Called with each row that a response shows. It must not delay the response. */
  readonly onRead: (ctx: Ctx, model: Model, row: Row) => void
  /** Collects the rows that an export shows: more than `onRead` could hold. */
  readonly collectReads: (ctx: Ctx) => Reads
  /** The exports that are in progress. */
  readonly exports: Exports
  /** Called when a store may have changed. It must not delay the response. */
  readonly onWrite: (storeId: string) => void
  readonly feed: FeedWatch
  /** The time, in ISO 8601, below which lists will not change any more, if it is known: see `Watermark`. */
  readonly watermark: () => string | undefined
  /** Whether the server may connect to an IP address that a client chose. */
  readonly mayConnect: (address: string) => boolean
  /** As `mayConnect`, for what is sent to addresses that a client chose. */
  readonly maySendTo: (address: string) => boolean
  /** Whether passwords need more than a minimum length. The modules with passwords define the rules. */
  readonly strictPasswords: boolean
  /** The API document of all modules; with `own`, as one store has its resources. */
  readonly apiDocument: (own?: OwnModel) => ApiDocument
  /** Whether shoppers, too, may request an explanation of a response. */
  readonly explainsToShoppers: boolean
  /** A request that takes longer is logged. */
  readonly slowMs: number
  /** How many writes without the secret of a key one address may send in a minute. */
  readonly shopperWritesMax: number
  /** The rates of requests in stores that have no own rates; undefined for no limits. */
  readonly requestRates: RequestRates | undefined
  /** How many processes serve this database, with this one. */
  readonly processCount: () => number
  /** The URL that clients use, if a setting fixes it. */
  readonly baseUrl: string | undefined
  /** Whether clients may choose the ids of new objects: see `Ctx.chosenId`. */
  readonly keepsIds: boolean
  /** The addresses of services elsewhere that modules call, by their names. */
  readonly services: Readonly<Record<string, string>>
}

/** The context that a piece of work belongs to. */
interface WorkContext {
  readonly store: Store
  readonly who: Principal
  readonly requestId: string
  readonly instance: Instance
}

/** What rules and jobs may use: one store, on behalf of one author. */
export class Work {
  /** The only store that the code can reach. */
  readonly store: Store
  /** The author; for a job, the caller whose request queued it. */
  readonly who: Principal
  /** The id of the request that caused the work. */
  readonly requestId: string
  /** The process, and what all stores share. */
  readonly instance: Instance
  /** Whether all writes are undone at the end: see `rehearse`. */
  readonly isRehearsal: boolean = false

  constructor({ store, who, requestId, instance }: WorkContext) {
    this.store = store
    this.who = who
    this.requestId = requestId
    this.instance = instance
  }

  get clock(): Clock {
    return this.instance.clock
  }

  /** Queues a job for this store. Inside a transaction the job is queued only if the transaction commits. */
  async later<P>(job: Job<P>, payload: P, schedule?: Schedule): Promise<void>
  async later<P>(job: LongJob<P>, payload: P): Promise<void>
  async later<P>(job: Job<P> | LongJob<P>, payload: P, schedule?: Schedule): Promise<void> {
    if (this.isRehearsal) return
    if (job.long) await queueLong(this, job, payload)
    else await queue(this, job, payload, schedule)
  }

  /** Runs `run` in the open transaction, or in a new one. It must not call other servers. */
  async transaction<T>(run: (inside: this) => Promise<T>): Promise<T> {
    if (this.store.inTransaction) return run(this)
    return this.store.transaction((store) => {
      const inside = this.with({ store })
      return this.isRehearsal ? store.runAndUndo(() => run(inside)) : run(inside)
    })
  }

  /**
   * A dry run: runs `run` as `transaction` does, returns its result, and undoes its writes. It queues no jobs, and
   * `callOut` calls no other server.
   */
  async rehearse<T>(run: (inside: this) => Promise<T>): Promise<T> {
    const rehearsal = this.inRehearsal()
    return this.store.inTransaction ? this.store.runAndUndo(() => run(rehearsal)) : rehearsal.transaction(run)
  }

  /** The same work, whose transactions are dry runs. What it writes outside of them, it must undo itself. */
  inRehearsal(): this {
    return this.with({ isRehearsal: true })
  }

  /** As `transaction`, always in a new one. All reads see one snapshot. */
  async snapshot<T>(run: (inside: this) => Promise<T>, kind: TransactionKind = 'snapshot'): Promise<T> {
    if (this.store.inTransaction) throw new Error('a snapshot cannot begin inside a transaction')
    return this.store.transaction((store) => run(this.with({ store })), kind)
  }

  /** The same work on behalf of a person whom the request has just identified. Changes record them as the author. */
  actingAs(actor: string): this {
    const store = this.store.by(authorOf(actor, this.requestId))
    return this.with({ store, who: { ...this.who, actor } })
  }

  protected with(changes: Partial<WorkContext & Pick<Work, 'isRehearsal'>>): this {
    return Object.assign(Object.create(Object.getPrototypeOf(this)), this, changes)
  }
}

/** For a request with an Idempotency-Key: the state that `callOut` and `once` share. */
export interface KeyedRequest {
  /** The key of the row in `idempotency_keys`. */
  readonly name: string
  /** The errand of an earlier request with the same key. */
  errandId: string | undefined
  /** Stores the response in the transaction that records the outcome. */
  store(work: Ctx, answer: Answer): Promise<void>
}

/** Takes where the rows of a list come from, and the query for them. */
type TakeSource = (source: RowSource, query: ListQuery) => void

/** Where the rows of a list come from: a `Source` of the query engine. */
interface RowSource {
  readonly resource: Model
  readonly scope: readonly string[]
  readonly where?: (bind: (value: unknown) => string) => string
}

/** Runs something when its turn has come. */
type Queue = <T>(run: () => Promise<T>) => Promise<T>

/** What a handler may use. */
export class Ctx extends Work {
  /** The IP address of the client. */
  readonly clientAddress: string
  /** Scheme, host and port as the client wrote them, without a trailing slash. */
  readonly baseUrl: string
  /** The id of the object that the request creates, if the client has chosen it, as a copy of another server does. */
  readonly chosenId: string | undefined
  /** The keys that the request uses in place of ids, by id. Links use them too. */
  readonly names = new Map<string, string>()
  /** The form of lines that the request prefers to JSON, for a list. */
  readonly lines: LineFormat | undefined
  /** In an export: where its reads are collected. */
  readonly reads: Reads | undefined
  /** Given where the rows of a list come from, in place of a response: see `sourceOfList`. */
  readonly takesSource: TakeSource | undefined
  /** For a request with an Idempotency-Key that may call another server. */
  readonly keyed: KeyedRequest | undefined
  /** For a request that may call another server: runs a transaction after those that write the same object. */
  readonly queued: Queue

  constructor(
    occasion: WorkContext &
      Pick<Ctx, 'clientAddress' | 'baseUrl'> & {
        readonly lines?: LineFormat | undefined
        readonly keyed?: KeyedRequest
        readonly queued?: Queue
        readonly chosenId?: string
      },
  ) {
    super(occasion)
    this.lines = occasion.lines
    this.reads = undefined
    this.takesSource = undefined
    this.chosenId = occasion.chosenId
    this.keyed = occasion.keyed
    this.queued = occasion.queued ?? ((run) => run())
    this.clientAddress = occasion.clientAddress
    this.baseUrl = occasion.baseUrl
  }

  /** The same request on the primary, for readers of the change feed: they follow it closely. */
  onPrimary(): this {
    return this.with({ store: this.store.onPrimary() })
  }

  /** The same request in the store that its body names. Only for an open operation: it has no store before. */
  inStore(id: string): this {
    const by = authorOf(this.who.actor, this.requestId)
    const store = new Store(id, this.instance.homes.of(id), () => this.clock.now(), by)
    return this.with({ store, who: { ...this.who, storeId: id } })
  }

  /** Records that the response shows this row. */
  onRead(model: Model, row: Row): void {
    if (this.reads) this.reads.add(model, row)
    else this.instance.onRead(this, model, row)
  }

  /** The same request of a list, which ends where its rows would be read. */
  takingSource(takesSource: TakeSource): this {
    return Object.assign(this.with({}), { takesSource })
  }

  /** The same request, with its reads collected. */
  collecting(reads: Reads): this {
    return Object.assign(this.with({}), { reads })
  }
}

import type { Logger } from 'pino'
import type { Reading } from '../../metrics/metrics.ts'
import { isTimeout, isUnavailable } from '../connections/outages.ts'
import { type Database, type Guard, readOnlyState, type StatementSource, sqlState } from '../database.ts'
import { SharedQuestion } from './asking.ts'
import { type Position, positionOf, primaryOf } from './position.ts'
import { LeftOut, orLeave, Replica } from './replica.ts'

const examineEveryMs = 250

interface ReadOptions {
  readonly canServe?: (replica: Replica) => boolean
  /** Whether the primary may read it after a replica has failed. */
  readonly mayRetry?: () => boolean
}

/**
 * The primary and its replicas. A read goes to a replica that has replayed all that the primary had acknowledged when
 * the read came, and otherwise to the primary: docs/decisions/0148-read-replicas.md has the proof.
 */
export class Replicas {
  readonly #primary: Database
  readonly #replicas: readonly Replica[]
  readonly #position: SharedQuestion<Position>
  readonly #log: Logger
  #turn = 0
  #timer: NodeJS.Timeout | undefined
  #examining = Promise.resolve()
  #isStopped = false

  constructor(primary: Database, replicas: Readonly<Record<string, Database>>, log: Logger) {
    this.#primary = primary
    this.#log = log
    this.#replicas = Object.entries(replicas).map(([name, database]) => new Replica(name, database, log))
    this.#position = new SharedQuestion(() => positionOf({ run: (sql) => primary.quick(sql) }))
  }

  /** Its replicas are examined from now on; those that can serve do when it resolves. */
  async start(): Promise<void> {
    await this.#examine()
    for (const { name, fault } of this.#replicas)
      if (fault !== undefined) this.#log.warn(`the replica ${name} does not serve: ${fault}`)
    this.#schedule()
  }

  async close(): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#timer)
    await this.#examining
    await Promise.all(this.#replicas.map(({ database }) => database.close()))
  }

  #schedule(): void {
    if (this.#isStopped) return
    this.#timer = setTimeout(() => {
      this.#examining = this.#examine()
      void this.#examining.then(() => this.#schedule())
    }, examineEveryMs)
  }

  async #examine(): Promise<void> {
    try {
      const primary = await primaryOf({ run: (sql) => this.#primary.quick(sql) })
      await Promise.all(this.#replicas.map((replica) => replica.examine(primary)))
    } catch {
      // The primary is away, and other work reports it. No read goes to a replica without its position.
    }
  }

  /** As `Database.reading`. */
  reading(signal: () => AbortSignal): StatementSource {
    const primary = this.#primary.reading(signal)
    const read = <T>(onReplica: (source: StatementSource) => Promise<T>, onPrimary: () => Promise<T>) =>
      this.#read(
        (replica, guard) => orLeave(replica.out, onReplica(replica.database.reading(signal, guard))),
        onPrimary,
      )
    return {
      primary,
      quick: (sql) =>
        read(
          (source) => source.quick(sql),
          () => primary.quick(sql),
        ),
      // What may touch any number of rows mostly writes.
      run: (sql) =>
        sql.long
          ? primary.run(sql)
          : read(
              (source) => source.run(sql),
              () => primary.run(sql),
            ),
      transaction: (work, kind) =>
        kind === 'export' ? this.#export(work, signal, primary) : primary.transaction(work, kind),
    }
  }

  /** Once rows have been read, an export cannot begin again elsewhere: they may have been sent. */
  #export<T>(
    work: Parameters<StatementSource['transaction']>[0],
    signal: () => AbortSignal,
    primary: StatementSource,
  ): Promise<T> {
    let hasBegun = false
    const begin: typeof work = async (transaction) => {
      await transaction.run({ text: 'SELECT 1', values: [] })
      hasBegun = true
      return work(transaction)
    }
    const onReplica = (replica: Replica, guard: Guard) =>
      replica.database.reading(signal, guard).transaction(begin, 'export')
    const onPrimary = () => primary.transaction(work, 'export')
    return this.#read(onReplica, onPrimary, {
      canServe: ({ keepsRows }) => keepsRows,
      mayRetry: () => !hasBegun,
    }) as Promise<T>
  }

  async #read<T>(
    onReplica: (replica: Replica, guard: Guard) => Promise<T>,
    onPrimary: () => Promise<T>,
    { canServe = () => true, mayRetry = () => true }: ReadOptions = {},
  ): Promise<T> {
    const serving = this.#replicas.filter((one) => one.fault === undefined && canServe(one))
    const replica = serving[this.#turn++ % serving.length]
    if (!replica) return onPrimary()
    const position = await this.#position.ask()
    if (!(await replica.reaches(position))) return onPrimary()
    try {
      const rows = await onReplica(replica, replica.guard(position))
      replica.countRead()
      return rows
    } catch (error) {
      // The statement is slow, and would be so at the primary. A replica that hangs is left out before.
      if (isTimeout(error)) throw error
      if (isFault(error)) replica.leaveOut((error as Error).message)
      // Other errors are the statement's: the primary has the last word.
      if (!mayRetry()) throw error
      return onPrimary()
    }
  }

  /** For metrics: whether each serves, and how far behind it is. */
  read(what: 'serves' | 'lag'): readonly Reading[] {
    return this.#replicas.flatMap(({ name: replica, fault, lagBytes }) => {
      if (what === 'serves') return [{ labels: { replica }, value: fault === undefined ? 1 : 0 }]
      return lagBytes === undefined ? [] : [{ labels: { replica }, value: Number(lagBytes) }]
    })
  }

  /** For metrics. */
  get connections(): readonly Reading[] {
    return this.#replicas.flatMap(({ database }) => database.connections)
  }
}

/** Whether the replica failed, and not the statement. A standby refuses writes, and this is no fault of it. */
const isFault = (error: unknown): boolean =>
  error instanceof LeftOut ||
  (isUnavailable(error) && error.cause !== undefined && sqlState(error.cause) !== readOnlyState)

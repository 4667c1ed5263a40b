import type pg from 'pg'
import type { Sql, Tuple } from '../database.ts'
import { isOutOfSpace } from '../disk-space.ts'
import { tapRows } from '../row-tap.ts'
import type { Results } from '../transaction.ts'
import { countTimeout, observeStatement } from './observe.ts'
import { isCancelled, refusalOf } from './outages.ts'
import { cancelWith } from './slow-reads.ts'
import { forgetUnprepared, isPrepared, MessageQuery, nameOn, planAll, planThis } from './statement.ts'

const longStatementMaxMs = 3_600_000

/** A message of a transaction. */
interface MessageOptions {
  readonly signal?: AbortSignal | undefined
  readonly begin?: string | undefined
  /** Whether the transaction begins with it. */
  readonly isFirst?: boolean
}

/** Sends statements on the connections of one database. */
export class MessageSender {
  readonly #limitMs: number | undefined
  /** Connections of a pooler whose transactions plan each statement once. */
  readonly #planning = new WeakSet<pg.ClientBase>()
  #isAnyPlanning = false
  /** Called for each statement that fails because the disk is full. */
  onNoSpace: () => void = () => {}

  /** `limitMs`: see `Database`. */
  constructor(limitMs: number | undefined) {
    this.#limitMs = limitMs
  }

  /** From now on each transaction on this connection begins with `planThis`. */
  planEach(client: pg.ClientBase): void {
    this.#isAnyPlanning = true
    this.#planning.add(client)
  }

  /** When the signal aborts, the message is cancelled, and the signal's reason is thrown. */
  async send(
    client: pg.ClientBase,
    statements: readonly Sql[],
    { signal, begin, isFirst }: MessageOptions,
  ): Promise<Results> {
    const send = () =>
      isFirst ? this.sendFirst(client, statements, begin) : this.#send(client, statements, begin)
    if (!signal) return send()
    signal.throwIfAborted()
    const ended = cancelWith(signal, client)
    try {
      return await send()
    } catch (error) {
      if (signal.aborted && isCancelled(error)) throw signal.reason
      throw error
    } finally {
      await ended()
    }
  }

  /** Sends the first message of a transaction, or a statement that is a transaction by itself. */
  sendFirst(client: pg.ClientBase, statements: readonly Sql[], begin?: string): Promise<Results> {
    const guard = statements[0]?.guard
    if (!guard && !this.#isAnyPlanning) return this.#send(client, statements, begin)
    const plan = begin === undefined ? planThis : planAll
    const before = [...(this.#planning.has(client) ? [plan] : []), ...(guard ? [guard.sql] : [])]
    return this.#send(client, [...before, ...statements], begin).then((results) => {
      guard?.check(results[before.length - 1]?.[0] ?? [])
      return results.slice(before.length)
    })
  }

  /** Sends statements in one message. Of several, each is prepared, or the last: others get messages of their own. */
  #send(client: pg.ClientBase, statements: readonly Sql[], begin?: string): Promise<Results> {
    const named = statements.map(({ text, values, once }) => ({
      ...{ text, values, name: once ? '' : nameOn(client, text) },
    }))
    if (!named.every(({ name }, i) => i === named.length - 1 || isPrepared(client, name)))
      return this.#sendEach(client, statements, begin)
    const limitMs = this.#limitMs && statements.some(({ long }) => long) ? longStatementMaxMs : this.#limitMs
    const { promise, resolve, reject } = Promise.withResolvers<Results>()
    const onEnd = statements.map(observeStatement)
    const sink = statements.at(-1)?.sink
    let untap: (() => void) | undefined
    const sent = new MessageQuery(named, begin, limitMs, (error, results) => {
      for (const [i, end] of onEnd.entries()) end?.(results[i]?.length ?? 0, error)
      untap?.()
      if (!error) return resolve(results)
      countTimeout(error, client)
      const last = named.at(-1)
      if (last) forgetUnprepared(client, last)
      reject(statements[sent.firstOpen]?.refusal?.(error) ?? this.refusalOf(error))
    })
    client.query(sent)
    untap = sink && tapRows(client, sink)
    return promise
  }

  /** One after the other, since a statement whose text a connection has not seen needs a message of its own. */
  async #sendEach(client: pg.ClientBase, statements: readonly Sql[], begin?: string): Promise<Results> {
    const results: (readonly Tuple[])[] = []
    for (const [i, sql] of statements.entries())
      results.push(...(await this.#send(client, [sql], i ? undefined : begin)))
    return results
  }

  /** What a caller is told of a failed statement. */
  refusalOf(error: unknown): unknown {
    if (isOutOfSpace(error)) this.onNoSpace()
    return refusalOf(error)
  }
}

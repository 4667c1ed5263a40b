import pg from 'pg'
import { Memory } from '../../memory.ts'
import type { Sql, Tuple } from '../database.ts'

/** Properties of the driver's connection that its types leave out. */
interface Wire extends pg.Connection {
  /** The prepared statements, and those that are being prepared. */
  readonly parsedStatements: Record<string, string>
  readonly submittedNamedStatements: Record<string, string>
}
type ParameterText = string | null
const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): ParameterText } }).utils

type Done = (error: Error | undefined | null, results: readonly (readonly Tuple[])[]) => void

/** A text with its values. With a `name` it stays prepared. */
interface SentText {
  readonly text: string
  readonly values: readonly unknown[]
  readonly name: string
}

/**
 * One or more statements in one message, all prepared but the last. If one fails, PostgreSQL skips the rest. Their rows
 * are not described: all columns are read as text, in the order of the statement.
 */
export class MessageQuery extends pg.Query {
  /** The driver reads these. */
  readonly name: string
  readonly query_timeout: number | undefined
  readonly callback: (error?: Error | null) => void
  readonly #sent: readonly SentText[]
  readonly #last: SentText
  /** Begins a transaction before them. */
  readonly #begin: string | undefined
  readonly #results: Tuple[][]
  /** Which of them has not ended; below zero while the transaction begins. */
  #at: number
  #isUndone = false

  constructor(
    sent: readonly SentText[],
    begin: string | undefined,
    timeoutMs: number | undefined,
    done: Done,
  ) {
    const last = sent.at(-1)
    if (!last) throw new Error('a message has a statement')
    // The driver copies an object property by property, which takes longer than all else here.
    super(last.text)
    this.name = last.name
    this.#sent = sent
    this.#last = last
    this.#begin = begin
    this.#results = sent.map(() => [])
    this.#at = begin === undefined ? 0 : -1
    this.query_timeout = timeoutMs
    this.callback = (error?: Error | null) => done(error, this.#results)
  }

  /** Their texts. */
  get texts(): readonly string[] {
    return this.#sent.map(({ text }) => text)
  }

  /** The place of the first one that has not ended: of the one that has failed, after an error. */
  get firstOpen(): number {
    return Math.max(0, this.#at)
  }

  /** Returns an error if nothing was sent. */
  override submit = (connection: pg.Connection): Error | undefined => {
    const wire = connection as Wire
    const { text, values: own, name } = this.#last
    const begin = this.#begin
    if (this.#sent.length === 1 && !own.length && !name) {
      wire.query(begin === undefined ? text : `${begin}; ${text}`)
      return undefined
    }
    let values: readonly ParameterText[][]
    try {
      values = this.#sent.map((one) => one.values.map(prepareValue))
    } catch (error) {
      return error as Error
    }
    wire.stream.cork()
    const isNew = !this.#isPrepared(wire)
    // A named statement is parsed first, because the driver takes whatever is parsed for it. BEGIN has no name.
    if (isNew && name) {
      wire.parse({ text, name, types: [] }, true)
      wire.submittedNamedStatements[name] = text
    }
    if (begin !== undefined) {
      wire.parse({ text: begin, name: '', types: [] }, true)
      wire.bind({ statement: '', values: [] }, true)
      wire.execute({}, true)
    }
    for (const [i, one] of this.#sent.entries()) {
      if (one === this.#last && isNew && !name) wire.parse({ text, name, types: [] }, true)
      wire.bind({ statement: one.name, values: values[i] }, true)
      wire.execute({}, true)
    }
    wire.sync()
    wire.stream.uncork()
    return undefined
  }

  #isPrepared({ parsedStatements, submittedNamedStatements }: Wire): boolean {
    const { name } = this.#last
    return name in parsedStatements || name in submittedNamedStatements
  }

  /** For a statement without values the database describes the rows unasked. */
  handleRowDescription(): void {}

  handleDataRow({ fields }: { readonly fields: Tuple }): void {
    this.#results[this.#at]?.push(fields)
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    // PostgreSQL says so, and nothing more, where an error before it has aborted the transaction.
    this.#isUndone = text === 'ROLLBACK' && this.#last.text === 'COMMIT'
    this.#at += 1
  }

  handleReadyForQuery(): void {
    this.callback(
      this.#isUndone ? new Error('COMMIT has undone the transaction: a statement had failed') : null,
    )
  }
}

/**
 * Has a new connection plan each prepared statement once, for no particular value. PostgreSQL would plan many of the
 * statements of a write anew at each call, because it estimates the general plan slightly higher: that takes ten times
 * as long as to run them. They find rows by keys, so every value has the same plan. Lists and searches have connections
 * that plan for their values. Citus chooses the node of a statement by its values, and plans none without them.
 */
export function planOnce(client: pg.ClientBase): void {
  client
    .query(
      `SELECT set_config('plan_cache_mode', 'force_generic_plan', false) WHERE to_regclass('pg_dist_node') IS NULL`,
    )
    .catch(() => {})
}

/**
 * The same for a statement that is a transaction by itself, and for one that begins with BEGIN: the first statement of
 * its message. A pooler would give what `planOnce` sets to whoever has the session next.
 */
export const planThis: Sql = {
  text: `SELECT set_config('plan_cache_mode', 'force_generic_plan', true)`,
  values: [],
}
// It takes no snapshot, so the transaction may still choose its level.
export const planAll: Sql = { text: 'SET LOCAL plan_cache_mode = force_generic_plan', values: [] }

// Each prepared statement uses some 20 KiB of each connection, a list's 110 KiB, so an unused one makes room for a new
// one.
const preparedMax = 500

/** Whether a statement with this name can be bound without its text. */
export const isPrepared = (client: pg.ClientBase, name: string): boolean =>
  name in (client as unknown as { connection: Wire }).connection.parsedStatements

/** The prepared statements of one connection, each with its own name. */
class PreparedTexts {
  readonly #names: Memory<string, string>
  #named = 0

  constructor(client: pg.ClientBase) {
    this.#names = new Memory(preparedMax, { onForgotten: (_text, name) => client.query(new Close(name)) })
  }

  nameOf(text: string): string {
    const existing = this.#names.get(text)
    if (existing) return existing
    // A name is never used again: the statement that had it may still be on its way.
    this.#named += 1
    const name = `s${this.#named}`
    this.#names.set(text, name)
    return name
  }

  /** After its preparation has failed: a pooler has its name all the same, and would refuse it next time. */
  forget(client: pg.ClientBase, text: string): void {
    const name = this.#names.get(text)
    if (name === undefined) return
    this.#names.delete(text)
    client.query(new Close(name))
  }
}

const prepared = new WeakMap<pg.ClientBase, PreparedTexts>()

/** The name of a statement that stays prepared on this connection. */
export function nameOn(client: pg.ClientBase, text: string): string {
  const texts = prepared.get(client) ?? new PreparedTexts(client)
  prepared.set(client, texts)
  return texts.nameOf(text)
}

/** Gives a text another name on this connection, if it could not be prepared under the one that it has. */
export function forgetUnprepared(
  client: pg.ClientBase,
  { text, name }: Pick<SentText, 'text' | 'name'>,
): void {
  if (name && !isPrepared(client, name)) prepared.get(client)?.forget(client, text)
}

/** Queued like any statement. Unlike DEALLOCATE it cannot fail, and does not disturb a transaction. */
class Close extends pg.Query {
  readonly #name: string
  #wire: Wire | undefined

  constructor(name: string) {
    super('')
    this.#name = name
  }

  override submit = (connection: pg.Connection): void => {
    this.#wire = connection as Wire
    connection.close({ type: 'S', name: this.#name }, true)
    connection.sync()
  }

  /** Called when the close has ended. If it never ends, the connection is lost, and the statement with it. */
  readonly callback = (): void => {
    delete this.#wire?.parsedStatements[this.#name]
  }
}

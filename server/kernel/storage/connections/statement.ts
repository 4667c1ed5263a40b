import pg from 'pg'
import { Memory } from '../../memory.ts'
import type { Tuple } from '../database.ts'

/** Properties of the driver's connection that its types leave out. */
interface Wire extends pg.Connection {
  /** The prepared statements, and those that are being prepared. */
  readonly parsedStatements: Record<string, string>
  readonly submittedNamedStatements: Record<string, string>
}
type ParameterText = string | null
const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): ParameterText } }).utils

type Done = (error: Error | undefined | null, tuples: readonly Tuple[]) => void

/** A text with its values. With a `name` it stays prepared. */
interface SentText {
  readonly text: string
  readonly values: readonly unknown[]
  readonly name: string
}

/**
 * What goes in the same message: a transaction begins, then come statements that are prepared, whose rows nobody reads.
 * If one fails, PostgreSQL skips the rest of the message.
 */
interface MessageStart {
  readonly begin: string | undefined
  readonly writes: readonly SentText[]
}

/** A statement without a description of its rows: all columns are read as text, in the order of the statement. */
export class Statement extends pg.Query {
  /** The driver reads these. */
  readonly name: string
  readonly query_timeout: number | undefined
  readonly callback: (error?: Error | null) => void
  readonly #sent: SentText
  readonly #before: MessageStart
  readonly #tuples: Tuple[] = []
  /** How many statements before it have not ended. */
  #underWay: number

  #isUndone = false

  constructor(sent: SentText, before: MessageStart, timeoutMs: number | undefined, done: Done) {
    // The driver copies an object property by property, which takes longer than all else here.
    super(sent.text)
    this.name = sent.name
    this.#sent = sent
    this.#before = before
    this.#underWay = before.writes.length + (before.begin === undefined ? 0 : 1)
    this.query_timeout = timeoutMs
    this.callback = (error?: Error | null) => done(error, this.#tuples)
  }

  /** Which of the message's statements has not ended, counted from the end: the one that has failed, after an error. */
  get firstOpen(): number {
    return -1 - this.#underWay
  }

  /** Returns an error if the statement was not sent. */
  override submit = (connection: pg.Connection): Error | undefined => {
    const wire = connection as Wire
    const { text, name } = this.#sent
    const { begin, writes } = this.#before
    if (!this.#sent.values.length && !name && !writes.length) {
      wire.query(begin === undefined ? text : `${begin}; ${text}`)
      return undefined
    }
    let values: ParameterText[]
    let writtenValues: ParameterText[][]
    try {
      values = this.#sent.values.map(prepareValue)
      writtenValues = writes.map((one) => one.values.map(prepareValue))
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
    for (const [i, write] of writes.entries()) {
      wire.bind({ statement: write.name, values: writtenValues[i] }, true)
      wire.execute({}, true)
    }
    if (isNew && !name) wire.parse({ text, name, types: [] }, true)
    wire.bind({ statement: name, values }, true)
    wire.execute({}, true)
    wire.sync()
    wire.stream.uncork()
    return undefined
  }

  #isPrepared({ parsedStatements, submittedNamedStatements }: Wire): boolean {
    const { name } = this.#sent
    return name in parsedStatements || name in submittedNamedStatements
  }

  /** For a statement without values the database describes the rows unasked. */
  handleRowDescription(): void {}

  handleDataRow({ fields }: { readonly fields: Tuple }): void {
    this.#tuples.push(fields)
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    if (this.#underWay > 0) this.#tuples.length = 0
    this.#underWay -= 1
    // PostgreSQL says so, and nothing more, where an error before it has aborted the transaction.
    this.#isUndone = text === 'ROLLBACK' && this.#sent.text === 'COMMIT'
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
 * that plan for their values.
 */
export function planOnce(client: pg.ClientBase): void {
  client.query('SET plan_cache_mode = force_generic_plan').catch(() => {})
}

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
}

const prepared = new WeakMap<pg.ClientBase, PreparedTexts>()

/** The name of a statement that stays prepared on this connection. */
export function nameOn(client: pg.ClientBase, text: string): string {
  const texts = prepared.get(client) ?? new PreparedTexts(client)
  prepared.set(client, texts)
  return texts.nameOf(text)
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

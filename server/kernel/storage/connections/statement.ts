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

/**
 * A statement without a description of its rows: all columns are read as text, in the order of the statement. With a
 * `name` it stays prepared.
 */
export class Statement extends pg.Query {
  /** The driver reads it. */
  readonly query_timeout: number | undefined
  readonly callback: () => void
  readonly #text: string
  readonly #values: readonly unknown[]
  readonly #name: string
  readonly #tuples: Tuple[] = []

  constructor(
    text: string,
    values: readonly unknown[],
    name: string,
    timeoutMs: number | undefined,
    done: Done,
  ) {
    super({ text, name })
    this.#text = text
    this.#values = values
    this.#name = name
    this.query_timeout = timeoutMs
    this.callback = (error?: Error | null) => done(error, this.#tuples)
  }

  /** Returns an error if the statement was not sent. */
  override submit = (connection: pg.Connection): Error | undefined => {
    const wire = connection as Wire
    if (!this.#values.length && !this.#name) {
      wire.query(this.#text)
      return undefined
    }
    let values: ParameterText[]
    try {
      values = this.#values.map(prepareValue)
    } catch (error) {
      return error as Error
    }
    wire.stream.cork()
    if (!this.#isPrepared(wire)) {
      wire.parse({ text: this.#text, name: this.#name, types: [] }, true)
      if (this.#name) wire.submittedNamedStatements[this.#name] = this.#text
    }
    wire.bind({ statement: this.#name, values }, true)
    wire.execute({}, true)
    wire.sync()
    wire.stream.uncork()
    return undefined
  }

  #isPrepared({ parsedStatements, submittedNamedStatements }: Wire): boolean {
    return this.#name in parsedStatements || this.#name in submittedNamedStatements
  }

  /** For a statement without values the database describes the rows unasked. */
  handleRowDescription(): void {}

  handleDataRow({ fields }: { readonly fields: Tuple }): void {
    this.#tuples.push(fields)
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.callback()
  }
}

// Each prepared statement uses some 20 KiB of each connection, a list's 110 KiB, so an unused one makes room for a new
// one.
const preparedMax = 500

/** The prepared statements of one connection, each with its own name. */
export class PreparedTexts {
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

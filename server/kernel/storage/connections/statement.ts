import pg from 'pg'
import type { Tuple } from '../database.ts'

/** Properties of the driver's connection that its types leave out. */
interface Wire extends pg.Connection {
  readonly parsedStatements: Readonly<Record<string, string>>
  readonly submittedNamedStatements: Record<string, string>
}
type Text = string | null
const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): Text } }).utils

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
    let values: Text[]
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

import pg from 'pg'
import { Memory } from '../../memory.ts'

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

/** The driver's record of prepared statements, which its types leave out. */
interface DriverState {
  readonly parsedStatements: Record<string, string>
}

/** Queued like any statement. Unlike DEALLOCATE it cannot fail, and does not disturb a transaction. */
class Close extends pg.Query {
  readonly #name: string
  #driver: DriverState | undefined

  constructor(name: string) {
    super('')
    this.#name = name
  }

  override submit = (connection: pg.Connection): void => {
    this.#driver = connection as unknown as DriverState
    connection.close({ type: 'S', name: this.#name }, true)
    connection.sync()
  }

  /** Called when the close has ended. If it never ends, the connection is lost, and the statement with it. */
  readonly callback = (): void => {
    delete this.#driver?.parsedStatements[this.#name]
  }
}

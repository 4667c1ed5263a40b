import pg from 'pg'
import { Memory } from '../memory.ts'

// Each costs the database some 20 KiB on every connection, a list's 110: one out of use makes room for a new one.
const preparedMax = 500

/** The texts that one connection has prepared, each under a name of its own. */
export class PreparedTexts {
  readonly #names: Memory<string, string>
  #named = 0

  constructor(client: pg.ClientBase) {
    this.#names = new Memory(preparedMax, { onForgotten: (_text, name) => client.query(new Close(name)) })
  }

  nameOf(text: string): string {
    const existing = this.#names.get(text)
    if (existing) return existing
    // Never a name again: the statement that had it may still be on its way.
    this.#named += 1
    const name = `s${this.#named}`
    this.#names.set(text, name)
    return name
  }
}

/** What the driver keeps of a connection's statements; its types leave it out. */
interface DriverState {
  readonly parsedStatements: Record<string, string>
}

/** Takes its turn like any statement. Unlike DEALLOCATE it cannot fail, and does no harm to a transaction. */
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

  /** How it ended; one that did not has lost its connection, and with it the statement. */
  readonly callback = (): void => {
    delete this.#driver?.parsedStatements[this.#name]
  }
}

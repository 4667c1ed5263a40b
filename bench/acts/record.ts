import pg from 'pg'

/**
 * Loaded into a server before its program: notes the statements that it sends while the bench asks for them. The server
 * is one of its own, so that those that are measured are as they are.
 */

/** A statement as the server sent it. */
export interface SentStatement {
  readonly connection: number
  /** Those of one message go together, without a wait for answers. */
  readonly message: number
  readonly text: string
  readonly values: readonly (string | null)[]
  /** Whether it is not prepared: its text is made for one call. */
  readonly once: boolean
  /** Whether its connection plans each prepared statement once, for all values. */
  readonly plansOnce: boolean
  /** How many rows it returned. */
  rows: number
}

/** What the driver's types leave out. */
interface Wire extends pg.Connection {
  on(event: 'dataRow' | 'commandComplete' | 'readyForQuery', listener: () => void): this
}

class NotedConnection {
  readonly number: number
  readonly texts = new Map<string, string>()
  plansOnce = false
  message = 0
  /** Those without an answer yet. Of one without values only the end is known. */
  readonly underWay: { readonly sent: SentStatement; readonly isSimple: boolean }[] = []

  constructor(number: number, wire: Wire) {
    this.number = number
    wire.on('dataRow', () => {
      const first = this.underWay[0]
      if (first) first.sent.rows += 1
    })
    wire.on('commandComplete', () => {
      if (!this.underWay[0]?.isSimple) this.underWay.shift()
    })
    wire.on('readyForQuery', () => {
      if (this.underWay[0]?.isSimple) this.underWay.shift()
    })
  }
}

if (process.send) {
  const connections = new WeakMap<pg.Connection, NotedConnection>()
  let noted: SentStatement[] = []
  let opened = 0
  const connectionOf = (wire: pg.Connection) => {
    const known = connections.get(wire) ?? new NotedConnection(++opened, wire as Wire)
    connections.set(wire, known)
    return known
  }
  const note = (
    on: NotedConnection,
    sql: Pick<SentStatement, 'text' | 'values' | 'once'>,
    isSimple: boolean,
  ) => {
    const { number: connection, message, plansOnce } = on
    const sent = { connection, message, ...sql, plansOnce, rows: 0 }
    on.underWay.push({ sent, isSimple })
    noted.push(sent)
  }
  const { parse, bind, query, sync } = pg.Connection.prototype
  Object.assign(pg.Connection.prototype, {
    parse(this: pg.Connection, statement: { name: string; text: string }, more: boolean) {
      connectionOf(this).texts.set(statement.name, statement.text)
      return parse.call(this, statement as never, more)
    },
    bind(
      this: pg.Connection,
      bound: { statement?: string; values?: (string | null)[] } | null,
      more: boolean,
    ) {
      const { statement = '', values = [] } = bound ?? {}
      const on = connectionOf(this)
      note(on, { text: on.texts.get(statement) ?? '', values, once: statement === '' }, false)
      return bind.call(this, bound as never, more)
    },
    query(this: pg.Connection, text: string) {
      const on = connectionOf(this)
      if (text.includes('plan_cache_mode = force_generic_plan')) on.plansOnce = true
      note(on, { text, values: [], once: true }, true)
      on.message += 1
      return query.call(this, text)
    },
    sync(this: pg.Connection) {
      connectionOf(this).message += 1
      return sync.call(this)
    },
  })
  process.on('message', (message) => {
    if (message === 'note') noted = []
    if (message === 'noted') process.send?.(noted)
  })
}

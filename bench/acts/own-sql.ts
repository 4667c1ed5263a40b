import { randomUUID } from 'node:crypto'
import { type Connection, Database, type Sql } from '../../server/kernel/storage/database.ts'
import { type OwnServer, startOwnServer } from '../own-server.ts'
import { type Act, actsOf, type World } from './acts.ts'
import { openClient } from './client.ts'
import type { SentStatement } from './record.ts'

/** The statements of an act, as they are sent for one object. */
export type Replay = readonly SentStatement[]

/** What a server sends for an act. */
export interface Recording {
  readonly statements: Replay
  /** What stands for the object that it was recorded with. */
  readonly owned: readonly string[]
  /** The ids that the server made. */
  readonly fresh: readonly string[]
}

const recordedTimes = 4

/** Statements of the server itself, which come at any time: see tests/journeys/costs/counter.ts. */
const background =
  /sequence_(?:changes|stores)|WITH skipped AS|stores_with_fresh_changes|FROM application_keys|graphile_worker|personal_data_reads|UPDATE processes|database_figures|LISTEN|list_blocks|watermark|ask_nodes/

/** Records acts once, with a server of its own on the same database, which then ends. */
export async function recordAll(
  beside: OwnServer,
  world: World,
  names: readonly string[],
): Promise<ReadonlyMap<string, Recording>> {
  const preload = ['--import', new URL('record.ts', import.meta.url).href]
  const server = await startOwnServer(undefined, { beside, preload })
  const client = openClient(server, 1)
  try {
    const acts = actsOf({ ...world, client })
    const recordings = new Map<string, Recording>()
    for (const name of names) recordings.set(name, await record(server, acts[name] as Act))
    return recordings
  } finally {
    client.close()
    await server.stop()
  }
}

async function record(server: OwnServer, act: Act): Promise<Recording> {
  const all: Omit<Recording, 'fresh'>[] = []
  for (const object of (await act.prepare?.('noted', recordedTimes)) ?? namesOf('noted', recordedTimes)) {
    server.tell('note')
    await act.run(object)
    const statements = await server.ask<SentStatement[]>('noted')
    const own = statements.filter(({ text }) => !background.test(text))
    all.push({ statements: own, owned: await ownedBy(act, object, server) })
  }
  // The first one fills memories and prepares statements. What else happens meanwhile only adds to one.
  const [one, other] = all.slice(1).toSorted((a, b) => a.statements.length - b.statements.length)
  if (!one?.statements.length || !other) throw new Error('nothing was recorded')
  const elsewhere = idsIn(other.statements)
  const fresh = [...idsIn(one.statements)].filter((id) => !elsewhere.has(id) && !one.owned.includes(id))
  return { ...one, fresh }
}

/** The names of objects that an act makes itself. Nothing else has such a text. */
export const namesOf = (round: string, times: number): readonly string[] =>
  Array.from({ length: times }, (_, i) => `act-${round}-${i}-`)

/** An object, and what else stands for it in statements. */
export async function ownedBy(
  { owns }: Act,
  object: string,
  { database }: OwnServer,
): Promise<readonly string[]> {
  const [row = []] = owns ? await database.run({ text: owns, values: [object] }) : []
  return [object, ...row.map(String)]
}

const idPattern = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

const idsIn = (statements: Replay): ReadonlySet<string> =>
  new Set(statements.flatMap(({ values }) => values.flatMap((value) => String(value).match(idPattern) ?? [])))

/** The same statements for another object: with what belongs to it, and with new ids where new ids were made. */
export function replayFor({ statements, owned, fresh }: Recording, object: readonly string[]): Replay {
  const others = new Map(owned.map((text, i) => [text, object[i] ?? text]))
  for (const id of fresh) others.set(id, randomUUID())
  const pattern = new RegExp([...others.keys()].map((text) => RegExp.escape(text)).join('|'), 'g')
  const replaced = (value: string | null) =>
    typeof value === 'string' ? value.replace(pattern, (text) => others.get(text) ?? text) : value
  return statements.map((one) => ({ ...one, values: one.values.map(replaced) }))
}

/** Runs the statements of acts as the server does: through its driver, on the same kinds of connections. */
export class Replayer {
  /** As the connections of point reads and transactions, and as those of lists and searches. */
  readonly #plansOnce: Database
  readonly #plansAnew: Database

  constructor(databaseUrl: string) {
    this.#plansOnce = new Database(databaseUrl, 10, { plansOnce: true })
    this.#plansAnew = new Database(databaseUrl, 10)
  }

  async run(replay: Replay): Promise<void> {
    for (let at = 0; at < replay.length; ) {
      const statement = replay[at] as SentStatement
      if (!begins(statement)) {
        await this.#alone(statement)
        at += 1
        continue
      }
      const end = replay.findIndex((one, i) => i > at && one.connection === statement.connection && ends(one))
      const inside = replay.slice(at + 1, end)
      let withCommit: Promise<unknown> | undefined
      await this.#plansOnce.transaction(async (transaction) => {
        for (const message of messagesIn(inside)) {
          const sent = Promise.all(
            message.map((one) =>
              one.connection === statement.connection ? inTransaction(transaction, one) : this.#alone(one),
            ),
          )
          const [first] = message
          const commit = replay[end]
          withCommit =
            first?.connection === commit?.connection && first?.message === commit?.message ? sent : undefined
          if (!withCommit) await sent
        }
      })
      await withCommit
      at = end + 1
    }
  }

  async #alone(statement: SentStatement): Promise<void> {
    const database = statement.plansOnce ? this.#plansOnce : this.#plansAnew
    const isShort = !statement.once && !/\b(INSERT|UPDATE|DELETE)\b/.test(statement.text)
    const sql = { ...sqlOf(statement), page: !statement.plansOnce }
    mustBeSame(statement, await (isShort ? database.quick(sql) : database.run(sql)))
  }

  async close(): Promise<void> {
    await Promise.all([this.#plansOnce.close(), this.#plansAnew.close()])
  }
}

const begins = ({ text }: SentStatement): boolean => /^BEGIN\b/.test(text)
const ends = ({ text }: SentStatement): boolean => /^(COMMIT|ROLLBACK)\b/.test(text)

/** The statements of each message. */
const messagesIn = (replay: Replay): readonly Replay[] => [
  ...Map.groupBy(replay, ({ connection, message }) => `${connection} ${message}`).values(),
]

const sqlOf = ({ text, values, once }: SentStatement): Sql => ({ text, values, once })

async function inTransaction(transaction: Connection, statement: SentStatement): Promise<void> {
  mustBeSame(statement, await transaction.run(sqlOf(statement)))
}

/** A replay that finds other rows does other work. */
function mustBeSame({ text, rows }: SentStatement, found: readonly unknown[]): void {
  if (found.length !== rows) throw new Error(`${found.length} rows, and ${rows} were recorded: ${text}`)
}

import { createServer } from 'node:http'
import { Database, type Sql, type Tuple } from '../server/kernel/storage/database.ts'

/** What Sutler is measured against: the very same statements, through the same driver, behind bare node:http. */
export interface Bare {
  readonly sql: Sql
  /** Statements to run before it, in order. */
  readonly before?: readonly Sql[]
  /** Whether it runs on the pipelined connection, as in the server; otherwise on the pool. */
  readonly quick: boolean
}

/** Answers `GET /<name>` with the rows of that statement. Runs as a process of its own. */
export function serveBare(databaseUrl: string, statements: Readonly<Record<string, Bare>>): Promise<number> {
  const database = new Database(databaseUrl, 10)
  const server = createServer(async (request, response) => {
    try {
      const body = await run(database, statements[request.url?.slice(1) ?? ''])
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      })
      response.end(body)
    } catch (error) {
      response.writeHead(500).end(String(error))
    }
  })
  return new Promise((done) => {
    server.listen(0, '127.0.0.1', () => done((server.address() as { port: number }).port))
  })
}

async function run(database: Database, bare: Bare | undefined): Promise<string> {
  if (!bare) throw new Error('no such statement')
  const rows = await runBare(database, bare)
  return `{"data":[${rows.map(rowText).join(',')}]}`
}

/** The rows of the last statement. */
export async function runBare(
  database: Database,
  { sql, before = [], quick }: Bare,
): Promise<readonly Tuple[]> {
  let rows: readonly Tuple[] = []
  for (const one of [...before, sql]) {
    const filled = { ...one, values: filledIn(one.values) }
    rows = await (quick ? database.quick(filled) : database.run(filled))
  }
  return rows
}

/** Stands for a value in a statement that runs many times: each run uses another of these. */
export const oneOf = (values: readonly unknown[]) => ({ oneOf: values })

/** In a statement that runs many times, `$id` stands for a new id. */
export const filledIn = (values: readonly unknown[]): unknown[] =>
  values.map((value) => {
    if (value === '$id') return crypto.randomUUID()
    const some = (value as Partial<ReturnType<typeof oneOf>> | null)?.oneOf
    return some ? some[Math.floor(Math.random() * some.length)] : value
  })

/** The result of the statement only: no names, no links, no envelope. */
const rowText = (tuple: Tuple) => `[${tuple.map(valueText).join(',')}]`
const valueText = (value: string | null) =>
  value === null ? 'null' : value.startsWith('{') ? value : `"${value}"`

if (import.meta.main) {
  process.once('message', async ({ databaseUrl, statements }: Setup) => {
    process.send?.(await serveBare(databaseUrl, statements))
  })
}

interface Setup {
  readonly databaseUrl: string
  readonly statements: Readonly<Record<string, Bare>>
}

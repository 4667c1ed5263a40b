import type pg from 'pg'
import { Memory } from '../../memory.ts'
import { counter, histogram, type Reading } from '../../metrics/metrics.ts'
import { currentTimings } from '../../traces/scopes.ts'
import { beginSpan, endSpan } from '../../traces/spans.ts'
import type { Sql } from '../database.ts'

const waits = histogram(
  'sutler_db_wait_seconds',
  'How long work waited for a connection to the database, and for its turn among slow reads or at a lock.',
  ['pool'],
  [0.0001, 0.001, 0.01, 0.1, 1, 10],
)

const timeouts = counter('sutler_db_timeouts_total', 'Statements and connections that took too long.', [
  'pool',
])

/** Measures how long work waits for a connection of a pool. */
export async function timeWait<T>(pool: string, wait: Promise<T>): Promise<T> {
  const beganMs = performance.now()
  try {
    return await wait
  } finally {
    const ms = performance.now() - beganMs
    waits.observe({ pool }, ms / 1000)
    currentTimings()?.wait('connection', ms)
  }
}

const poolNames = new WeakMap<pg.ClientBase, string>()

export const nameClient = (client: pg.ClientBase, pool: string): unknown => poolNames.set(client, pool)

/** Counts a failure if a time limit caused it. */
export function countTimeout(error: unknown, at: pg.ClientBase | string): void {
  if (!(error instanceof Error) || !/^Query read timeout|^timeout exceeded/.test(error.message)) return
  timeouts.inc({ pool: typeof at === 'string' ? at : (poolNames.get(at) ?? 'other') })
}

/** The connections of one pool. `waiting` are those who wait for one. */
export const readPool = (
  pool: string,
  { active, idle, waiting }: Readonly<Record<'active' | 'idle' | 'waiting', number>>,
): readonly Reading[] =>
  Object.entries({ active, idle, waiting }).map(([state, value]) => ({ labels: { pool, state }, value }))

type OnEnd = (rows: number, error: unknown) => void

/** Measures a statement for the request or the job that sends it. Undefined if nobody asks. */
export function observeStatement({ text, values, once }: Sql): OnEnd | undefined {
  const timings = currentTimings()
  // A text that is made for one call may have values of a client.
  const span = beginSpan(() => ({
    name: statementName(text),
    kind: 'CLIENT',
    attributes: { 'db.system.name': 'postgresql', ...(!once && { 'db.query.text': text }) },
  }))
  if (!timings && !span) return undefined
  const beganMs = performance.now()
  return (rows, error) => {
    timings?.statement(text, values, rows, performance.now() - beganMs)
    if (span) endSpan(span, error)
  }
}

const named =
  /^\s*(WITH|SELECT|INSERT|UPDATE|DELETE|CALL|BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE|SET|LOCK)\b/i
const tableIn = /\b(?:FROM|INTO|UPDATE|CALL)\s+(?:ONLY\s+)?([a-z_]\w*)/i

/** A statement as a span is named: its verb and its table. It has no values. */
function statementName(text: string): string {
  const existing = names.get(text)
  if (existing !== undefined) return existing
  const verb = named.exec(text)?.[1]?.toUpperCase() ?? 'SQL'
  const table = tableIn.exec(text)?.[1]
  const name = table ? `${verb} ${table}` : verb
  names.set(text, name)
  return name
}

const names = new Memory<string, string>(2_000)

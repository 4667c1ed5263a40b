import { actsAsSeller, type Principal } from '../auth/principal.ts'
import { Problem } from '../errors.ts'
import { columns, optionalText } from '../storage/columns.ts'
import type { Database } from '../storage/database.ts'
import { DuplicateValue } from '../storage/refusals.ts'
import type { Instance } from '../work/context.ts'

interface Caller {
  readonly instance: Pick<Instance, 'database'>
  readonly who: Principal
}

/**
 * Throws the error of a request. If a value that must be unique is another object's, it tells a seller which, to open
 * it or to move the value. A shopper does not learn that: it may be another person's.
 */
export async function nameHolder({ instance, who }: Caller, error: unknown): Promise<never> {
  const duplicate = actsAsSeller(who) && duplicateIn(error)
  if (!duplicate) throw error
  throw withHolder(error as Problem, await findHolder(instance.database, who.storeId, duplicate))
}

/** A rule may have said the refusal in other words. */
function duplicateIn(error: unknown): DuplicateValue | undefined {
  if (error instanceof DuplicateValue) return error
  return error instanceof Problem ? duplicateIn(error.cause) : undefined
}

function withHolder(problem: Problem, holder: Readonly<Record<string, unknown>> | undefined): Problem {
  if (!holder) return problem
  const { code, detail, source, status, title, headers, reason, meta } = problem
  return new Problem(code, detail, {
    ...{ status, title, headers, reason, others: problem.all.slice(1), cause: problem },
    ...(source !== undefined && { source }),
    meta: { ...meta, ...holder },
  })
}

const keyColumns = columns({
  table: 'i.indrelid::regclass',
  expression: 'pg_get_indexdef(i.indexrelid, a.attnum, false)',
  type: 'format_type(a.atttypid, a.atttypmod)',
  predicate: ['pg_get_expr(i.indpred, i.indrelid)', optionalText],
})

/** The object that has the value, with the ids of its parents. The write has ended by now, so it may be gone. */
async function findHolder(database: Database, storeId: string, { key }: DuplicateValue) {
  const rows = await database.run({
    text: `SELECT ${keyColumns.sql} FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indexrelid
           WHERE i.indexrelid = to_regclass(quote_ident($1)) AND a.attnum <= i.indnkeyatts ORDER BY a.attnum`,
    values: [key.constraint],
  })
  const keys = rows.map(keyColumns.read)
  const values = valuesIn(
    key.detail,
    keys.map(({ type }) => type),
  )
  if (!values) return undefined
  const isSame = keys.map(({ expression, type }, i) => `${expression} = $${i + 2}::${type}`)
  const [first] = keys
  if (!first) return undefined
  const { table, predicate = 'true' } = first
  const shown = ['id', ...key.scopeColumns]
  const [row] = await database.run({
    text: `SELECT ${shown.join(', ')} FROM ${table} WHERE store_id = $1 AND ${isSame.join(' AND ')} AND (${predicate}) LIMIT 1`,
    values: [storeId, ...values],
  })
  if (!row) return undefined
  const parents = Object.fromEntries(key.scopeColumns.map((name, i) => [name, row[i + 1]]))
  return { holder: { type: key.type, id: row[0] }, ...parents }
}

/**
 * The values in what PostgreSQL says of a key: `Key (columns)=(values)`. They are not quoted, so of several texts with
 * commas in them nobody knows which is which.
 */
export function valuesIn(detail: string, types: readonly string[]): readonly string[] | undefined {
  const start = detail.indexOf(')=(')
  if (start < 0) return undefined
  const parts = detail.slice(start + 3, detail.lastIndexOf(')')).split(', ')
  const surplus = parts.length - types.length
  if (surplus === 0) return parts
  const texts = types.flatMap((type, i) => (type === 'text' ? [i] : []))
  const [at] = texts
  if (surplus < 0 || texts.length !== 1 || at === undefined) return undefined
  return [
    ...parts.slice(0, at),
    parts.slice(at, at + surplus + 1).join(', '),
    ...parts.slice(at + surplus + 1),
  ]
}

import pg from 'pg'
import { notFound, Problem } from '../errors.ts'
import { type ConstraintRefusal, type Model, nounOf } from '../shape/model.ts'
import { sqlState } from './database.ts'

// SQLSTATE: a key that refers to another row, also one that says ON DELETE RESTRICT.
const foreignKeyStates = ['23503', '23001']
// And 23505 unique, 23514 check, 23P01 exclusion.
const constraintStates = [...foreignKeyStates, '23505', '23514', '23P01']

/**
 * The constraint that a statement violated, or undefined. On a node of Citus the name ends in the number of a shard, as
 * that of the table does. From other nodes only the message comes; a routine that names a constraint says it there too.
 */
export function brokenConstraint(error: unknown): string | undefined {
  if (!(error instanceof pg.DatabaseError)) return undefined
  const { constraint, table, message } = error
  if (constraint === undefined) return / constraint "([^"]+?)(?:_\d{6,})?"/.exec(message)?.[1]
  const [shard] = /_\d{6,}$/.exec(table ?? '') ?? []
  return shard && constraint.endsWith(shard) ? constraint.slice(0, -shard.length) : constraint
}

/** The missing key of a foreign key violation: the value of the last column. */
function missingKey(error: unknown): string | undefined {
  const detail = error instanceof pg.DatabaseError ? error.detail : undefined
  // PostgreSQL translates the words around `(columns)=(values)`.
  const start = detail?.indexOf(')=(') ?? -1
  if (!detail || start < 0) return undefined
  return detail
    .slice(start + 3, detail.indexOf(')', start + 3))
    .split(', ')
    .at(-1)
}

/** What is known of the table of a write. */
export type WrittenTable = Partial<Pick<Model, 'type' | 'parent' | 'constraints' | 'scopeColumns'>>

/** Where a value must be unique, and what PostgreSQL says of the key. */
interface UniqueKey {
  readonly type: string | undefined
  readonly scopeColumns: readonly string[]
  readonly constraint: string
  readonly detail: string
}

/** The refusal of a value that must be unique, and that another object has. */
export class DuplicateValue extends Problem {
  readonly key: UniqueKey

  constructor({ code, detail, title, source }: ConstraintRefusal, key: UniqueKey, cause: unknown) {
    super(code, detail, { cause, ...(source && { source }), ...(title && { title }) })
    this.key = key
  }
}

function uniqueKeyOf({ type, scopeColumns = [] }: WrittenTable, error: unknown): UniqueKey | undefined {
  if (!(error instanceof pg.DatabaseError) || error.code !== '23505') return undefined
  const { detail = '' } = error
  return { type, scopeColumns, constraint: brokenConstraint(error) ?? '', detail }
}

/** The client's words for a violated constraint; undefined if the resource does not declare it. */
export function refusalOf(
  resource: WrittenTable,
  error: unknown,
  { type = resource.type, deletes }: { readonly type?: string | undefined; readonly deletes: boolean },
): Problem | undefined {
  const state = sqlState(error) ?? ''
  if (!constraintStates.includes(state)) return undefined
  const constraint = brokenConstraint(error) ?? ''
  const refusal = resource.constraints?.[constraint]
  if (refusal) {
    const key = uniqueKeyOf({ ...resource, ...(type && { type }) }, error)
    if (key) return new DuplicateValue(refusal, key, error)
    const { code, source, title } = refusal
    const missing = code === 'not_found' ? missingKey(error) : undefined
    const detail = missing === undefined ? refusal.detail : `${refusal.detail}: ${missing}`
    return new Problem(code, detail, { cause: error, ...(source && { source }), ...(title && { title }) })
  }
  // A foreign key of another row, which refers to the deleted one.
  if (deletes && type && foreignKeyStates.includes(state)) {
    const detail = `${type} is still in use: delete the objects that belong to it first`
    return new Problem('conflict', detail, { cause: error })
  }
  // By convention the key to the parent has this name: the parent is missing, or was deleted meanwhile.
  if (constraint.endsWith('_parent_fkey')) {
    if (!resource.parent) return new Problem('not_found', undefined, { cause: error })
    return notFound(nounOf(resource.parent()), missingKey(error), { cause: error })
  }
  if (constraint.endsWith('_pkey')) {
    const detail = `${type ?? 'an object'} with the given id already exists`
    return new Problem('conflict', detail, { cause: error })
  }
  return undefined
}

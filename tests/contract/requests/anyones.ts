import { type AccessTable, mayDo } from '../../../server/kernel/auth/access.ts'
import { type Operation, rightFor } from '../../../server/kernel/declare/operation.ts'
import { access, persons } from '../../../server/people/index.ts'

const table: AccessTable = access

/** Whether anyone can call an operation: it is open, or a shopper's. */
export function isAnyones(operation: Operation): boolean {
  const right = rightFor(operation)
  if (right === 'open') return true
  const kinds = Object.keys(table[operation.area] ?? {}).filter(
    (kind) => kind !== 'client_credentials' && !persons.has(kind),
  )
  return kinds.some((kind) => mayDo(table, kind, operation.area, right))
}

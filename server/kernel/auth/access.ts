import { Problem } from '../errors.ts'

/**
 * Who may do what: for each area of the API, what each kind of caller may do there. `-` nothing, `r` read,
 * `rw` read and write. The application brings the table; an area or a kind that is not in it may do nothing.
 */
export type AccessTable = Readonly<Record<string, Readonly<Record<string, '-' | 'r' | 'rw'>>>>

export function mayDo(table: AccessTable, kind: string, area: string, access: 'read' | 'write'): boolean {
  const right = table[area]?.[kind] ?? '-'
  return right === 'rw' || (right === 'r' && access === 'read')
}

export function authorize(table: AccessTable, kind: string, area: string, access: 'read' | 'write'): void {
  if (mayDo(table, kind, area, access)) return
  throw new Problem('forbidden', 'You do not have permission to access this resource.')
}

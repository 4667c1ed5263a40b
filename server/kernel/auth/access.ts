import { Problem } from '../errors.ts'

/**
 * Who may do what: for each area of the API, what each kind of caller may do there. `-` nothing, `r` read, `ru` read
 * and update, `rw` that and all else. The application brings the table; an area or a kind that is not in it may do
 * nothing.
 */
export type AccessTable = Readonly<Record<string, Readonly<Record<string, '-' | 'r' | 'ru' | 'rw'>>>>

type Access = 'read' | 'update' | 'write'

const allows: Readonly<Record<string, readonly Access[]>> = {
  '-': [],
  r: ['read'],
  ru: ['read', 'update'],
  rw: ['read', 'update', 'write'],
}

export function mayDo(table: AccessTable, kind: string, area: string, access: Access): boolean {
  return (allows[table[area]?.[kind] ?? '-'] ?? []).includes(access)
}

export function authorize(table: AccessTable, kind: string, area: string, access: Access): void {
  if (mayDo(table, kind, area, access)) return
  throw new Problem('forbidden', 'You do not have permission to access this resource.')
}

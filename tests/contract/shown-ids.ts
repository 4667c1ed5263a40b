import type { Resource } from '../../server/kernel/declare/resource.ts'

/** The id that clients know a row by, in SQL: a field of that name takes the place of the row's own. */
export const shownId = ({ key }: Resource, row: string): string =>
  key?.field === 'id' ? `(${row}.doc->>'id')` : `${row}.id::text`

import type { Rows } from '../kernel/storage/store.ts'

/** The entries of all custom APIs. */
export const entries: Rows = { table: 'entries' }

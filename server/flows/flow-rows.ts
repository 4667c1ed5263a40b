import type { Rows } from '../kernel/storage/store.ts'

/** The entries of all flows, and the fields. */
export const flowEntries: Rows = { table: 'flow_entries' }
export const flowFieldRows: Rows = { table: 'flow_fields' }

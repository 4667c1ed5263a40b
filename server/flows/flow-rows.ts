import type { Rows } from '../kernel/storage/store.ts'

/** The tables of the entries and fields of all flows. */
export const flowEntries: Rows = { table: 'flow_entries' }
export const flowFieldRows: Rows = { table: 'flow_fields' }

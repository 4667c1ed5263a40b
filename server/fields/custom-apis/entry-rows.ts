import type { Rows } from '../../kernel/storage/store.ts'
import type { ValueRows } from '../values/changes.ts'

/** The entries of all custom APIs. */
export const entries: Rows = { table: 'entries' }

/** The entries of a custom API, for changes of its fields. */
export const rowsOfApi = (apiId: string): ValueRows => ({
  ...entries,
  where: (bind) => `r.custom_api_id = ${bind(apiId)}`,
  hiddenWithout: (name) => {
    // Computed as meta.data_size is: texts without quotes, and 0 for null.
    const size = `(r.hidden->'meta'->>'data_size')::integer - coalesce(octet_length(r.doc->>${name}), 0)`
    return `json_edited(r.hidden, 'meta', 'meta',
      json_edited(r.hidden->'meta', 'data_size', 'data_size', (${size})::text::json))`
  },
})

import type { Work } from '../kernel/work/context.ts'
import { entries } from './entry-rows.ts'

/** Applies changes of a field to the existing entries: each in one statement, in the same transaction. */

/** SQL for the document with a member renamed or removed. The other members keep their text. */
const rewritten = (name: string, where: string) =>
  `(SELECT '{' || coalesce(string_agg(to_json(${name})::text || ':' || m.value, ',' ORDER BY m.place), '') || '}'
    FROM (SELECT key, value::text, ordinality AS place FROM json_each(r.doc) WITH ORDINALITY) m ${where})::json`

export async function renameValues(work: Work, api: string, from: string, to: string): Promise<void> {
  await work.store.changeAll(entries, {
    where: (bind) => `r.custom_api_id = ${bind(api)} AND r.doc->${bind(from)}::text IS NOT NULL`,
    doc: (bind) => rewritten(`CASE m.key WHEN ${bind(from)}::text THEN ${bind(to)}::text ELSE m.key END`, ''),
  })
}

/** Removes a field from the index of entries by their values. */
export async function forgetValues({ store }: Work, fieldId: string): Promise<void> {
  await store.runLong('DELETE FROM entry_values WHERE store_id = $1 AND field_id = $2', fieldId)
}

export async function dropValues(work: Work, api: string, field: string, slug: string): Promise<void> {
  await forgetValues(work, field)
  await work.store.changeAll(entries, {
    where: (bind) => `r.custom_api_id = ${bind(api)} AND r.doc->${bind(slug)}::text IS NOT NULL`,
    doc: (bind) => rewritten('m.key', `WHERE m.key <> ${bind(slug)}::text`),
    hidden: (bind) => {
      // Computed as meta.data_size is: texts without quotes, and 0 for null.
      const size = `(r.hidden->'meta'->>'data_size')::integer - coalesce(octet_length(r.doc->>${bind(slug)}::text), 0)`
      return `json_build_object('meta', json_build_object('data_size', ${size}, 'folded', r.hidden->'meta'->'folded'))`
    },
  })
}

/**
 * Makes the values of the field unique from now on. Of existing duplicates the oldest entry owns the value; the others
 * stay until they are written.
 */
export async function setUnique(work: Work, field: string, unique: boolean): Promise<void> {
  if (!unique) {
    await work.store.runLong(
      'UPDATE entry_values SET unique_key = NULL WHERE store_id = $1 AND field_id = $2 AND unique_key IS NOT NULL',
      field,
    )
    return
  }
  await work.store.runLong(
    `UPDATE entry_values v SET unique_key = oldest.key
     FROM (
       SELECT DISTINCT ON (k.key) k.key, k.entry_id FROM (
         SELECT entry_id, entry_unique_key(NULL, field_id, text_head || coalesce(text_tail, '')) AS key
         FROM entry_values WHERE store_id = $1 AND field_id = $2 AND element = -2
       ) k JOIN entries e ON e.store_id = $1 AND e.id = k.entry_id
         AND e.custom_api_id = (SELECT custom_api_id FROM custom_fields WHERE store_id = $1 AND id = $2)
       ORDER BY k.key, e.created_at, e.id
     ) oldest
     WHERE v.store_id = $1 AND v.field_id = $2 AND v.element = -2 AND v.entry_id = oldest.entry_id`,
    field,
  )
}

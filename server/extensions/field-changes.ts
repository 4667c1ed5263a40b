import type { Ctx } from '../kernel/context.ts'

/** What a change of a field does to the entries that exist: each in one statement, in the change's transaction. */

/** The document without the member `$4`, or with `$5` in its name's place. The other members keep their text. */
const rewritten = (name: string, where: string) =>
  `(SELECT '{' || coalesce(string_agg(to_json(${name})::text || ':' || m.value, ',' ORDER BY m.place), '') || '}'
    FROM (SELECT key, value::text, ordinality AS place FROM json_each(e.doc) WITH ORDINALITY) m ${where})::json`

const nextVersion = (now: string) =>
  `version = e.version + 1, updated_at = greatest(e.updated_at, ${now}::timestamptz)`

export async function renameValues(ctx: Ctx, api: string, from: string, to: string): Promise<void> {
  const doc = rewritten('CASE m.key WHEN $4::text THEN $5::text ELSE m.key END', '')
  await ctx.store.write(
    `UPDATE entries e SET ${nextVersion('$6')}, doc = ${doc} FROM set_config('sutler.by', $2, true)
     WHERE e.store_id = $1 AND e.custom_api_id = $3 AND e.doc->$4::text IS NOT NULL`,
    api,
    from,
    to,
    ctx.clock.now(),
  )
}

export async function dropValues(ctx: Ctx, api: string, field: string, slug: string): Promise<void> {
  await ctx.store.bulk('DELETE FROM entry_values WHERE store_id = $1 AND field_id = $2', field)
  // As meta.data_size is reckoned: texts without their quotes, and nothing for null.
  const size = `(e.hidden->'meta'->>'data_size')::integer - coalesce(octet_length(e.doc->>$4::text), 0)`
  const hidden = `json_build_object('meta', json_build_object('data_size', ${size}, 'folded', e.hidden->'meta'->'folded'))`
  await ctx.store.write(
    `UPDATE entries e SET ${nextVersion('$5')}, doc = ${rewritten('m.key', 'WHERE m.key <> $4::text')}, hidden = ${hidden}
     FROM set_config('sutler.by', $2, true)
     WHERE e.store_id = $1 AND e.custom_api_id = $3 AND e.doc->$4::text IS NOT NULL`,
    api,
    slug,
    ctx.clock.now(),
  )
}

/**
 * From now on the field's values must be unique. Of those that are there already and are not, the oldest entry's
 * holds the place; the others stay as they are until they are written.
 */
export async function setUnique(ctx: Ctx, field: string, unique: boolean): Promise<void> {
  if (!unique) {
    await ctx.store.bulk(
      'UPDATE entry_values SET unique_key = NULL WHERE store_id = $1 AND field_id = $2 AND unique_key IS NOT NULL',
      field,
    )
    return
  }
  await ctx.store.bulk(
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

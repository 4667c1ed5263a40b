import { Binds } from '../../kernel/storage/binds.ts'
import type { Rows } from '../../kernel/storage/store.ts'
import type { Work } from '../../kernel/work/context.ts'

/**
 * Applies changes of a field to the values that are stored. Each takes one statement for a table, in the transaction of
 * the change.
 */

/** The rows whose documents have the values of a field. */
export interface ValueRows extends Rows {
  /** SQL for these rows `r` of the table. */
  readonly where: (bind: Binds['bind']) => string
  /** The member of the document that contains the values, if the document itself does not. */
  readonly inside?: 'attributes'
  /** Whether the hidden part of a row has the values of disabled fields. */
  readonly hides?: true
  /** SQL for the hidden part of a row without the value of this name. */
  readonly hiddenWithout?: (name: string) => string
}

/** A field by its name in documents. */
export interface ValueField {
  readonly slug: string
  /** Whether it holds links instead of a value. */
  readonly isLink?: boolean
}

export const renameValues = (
  work: Work,
  from: readonly ValueRows[],
  field: ValueField,
  to: string,
): Promise<void> => editValues(work, from, field, to)

/** Deletes the values. */
export const eraseValues = (work: Work, from: readonly ValueRows[], field: ValueField): Promise<void> =>
  editValues(work, from, field, null)

async function editValues(
  { store }: Work,
  from: readonly ValueRows[],
  { slug, isLink }: ValueField,
  to: string | null,
): Promise<void> {
  const edited = (part: string) => (bind: Binds['bind']) => {
    const [name, next] = [nameIn(slug, bind), nameIn(to, bind)]
    return `json_edited(${part}, ${name}, ${next}, ${part}->${name})`
  }
  for (const rows of from) {
    const member = isLink ? 'relationships' : rows.inside
    const { hides, hiddenWithout } = rows
    await store.changeAll(rows, {
      where: having(rows, partOf(member), slug),
      doc: (bind) => within(member, edited(partOf(member))(bind)),
      ...(to === null && hiddenWithout && { hidden: (bind) => hiddenWithout(nameIn(slug, bind)) }),
    })
    if (!hides || isLink) continue
    await store.changeAll(rows, { where: having(rows, 'r.hidden', slug), hidden: edited('r.hidden') })
  }
}

/** Hides the values, or shows them again. */
export async function hideValues(
  { store }: Work,
  from: readonly ValueRows[],
  slug: string,
  hide: boolean,
): Promise<void> {
  for (const rows of from) {
    const part = partOf(rows.inside)
    const [old, now] = hide ? [part, `coalesce(r.hidden, '{}')`] : ['r.hidden', part]
    const without = (name: string) => `json_edited(${old}, ${name}, NULL, NULL)`
    const with_ = (name: string) => `json_with(${now}, ${name}, ${old}->${name})`
    await store.changeAll(rows, {
      where: having(rows, old, slug),
      doc: (bind) => within(rows.inside, (hide ? without : with_)(nameIn(slug, bind))),
      hidden: (bind) => (hide ? with_ : without)(nameIn(slug, bind)),
    })
  }
}

const nameIn = (name: string | null, bind: Binds['bind']) => `${bind(name)}::text`

/** SQL for the part of a document that has the values. */
const partOf = (member: string | undefined) => (member ? `r.doc->'${member}'` : 'r.doc')

const within = (member: string | undefined, part: string) =>
  member ? `json_edited(r.doc, '${member}', '${member}', ${part})` : part

const having =
  ({ where }: ValueRows, part: string, slug: string) =>
  (bind: Binds['bind']) =>
    `${where(bind)} AND ${part}->${nameIn(slug, bind)} IS NOT NULL`

/** Removes deleted fields from the index of entries by their values. */
export async function unindexValues({ store }: Work, ...fieldIds: readonly string[]): Promise<void> {
  await store.runLong('DELETE FROM entry_values WHERE store_id = $1 AND field_id = ANY($2::uuid[])', fieldIds)
}

/**
 * Makes the values of a field unique from now on, or not. Of existing duplicates the oldest entry owns the value; the
 * others stay until they are written.
 */
export async function setUnique(
  { store }: Work,
  rows: ValueRows,
  fieldId: string,
  isUnique: boolean,
): Promise<void> {
  if (!isUnique) {
    await store.runLong(
      'UPDATE entry_values SET unique_key = NULL WHERE store_id = $1 AND field_id = $2 AND unique_key IS NOT NULL',
      fieldId,
    )
    return
  }
  const { values, bind } = new Binds([store.id, fieldId])
  await store.runLong(
    `UPDATE entry_values v SET unique_key = oldest.key
     FROM (
       SELECT DISTINCT ON (k.key) k.key, k.entry_id FROM (
         SELECT entry_id, entry_unique_key(NULL, field_id, text_head || coalesce(text_tail, '')) AS key
         FROM entry_values WHERE store_id = $1 AND field_id = $2 AND element = -2
       ) k JOIN ${rows.table} r ON r.store_id = $1 AND r.id = k.entry_id AND ${rows.where(bind)}
       ORDER BY k.key, r.created_at, r.id
     ) oldest
     WHERE v.store_id = $1 AND v.field_id = $2 AND v.element = -2 AND v.entry_id = oldest.entry_id`,
    ...values.slice(1),
  )
}

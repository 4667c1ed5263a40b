import { Problem } from '../../kernel/errors.ts'
import type { Op } from '../../kernel/shape/list-query.ts'
import type { AddedField, FilterRule } from '../../kernel/shape/model.ts'
import type { Binds } from '../../kernel/storage/binds.ts'
import type { Rows } from '../../kernel/storage/store.ts'
import { matchingNumber, matchingText } from './conditions.ts'

/** How lists filter by the values of a type. */
export interface ValueFilter {
  readonly ops: readonly Op[]
  /** Absent for texts. */
  readonly number?: NumberForm
}

/** The texts that stand for numbers of a type, as the index stores them. */
export interface NumberForm {
  readonly read: (text: string) => number | undefined
  /** What `read` accepts, in words. */
  readonly accepted: string
}

/** A boolean, which the index stores as 0 or 1. */
export const bit: NumberForm = {
  read: (text) => (text === 'true' ? 1 : text === 'false' ? 0 : undefined),
  accepted: 'true or false',
}

type FieldRef = Pick<AddedField, 'id' | 'name'>
/** SQL for the entries with an index row `v` of the field that meets the condition. `$1` is the store. */
export const entriesWhere = (
  { table }: Rows,
  { id }: FieldRef,
  bind: Binds['bind'],
  condition: string,
): string =>
  `${table}.id IN (SELECT v.entry_id FROM entry_values v WHERE v.store_id = $1 ` +
  `AND v.field_id = ${bind(id)}::uuid AND ${condition})`

/** An index row of null: of an element of a list, or of a value. */
export const isNull = 'v.text_head IS NULL AND v.number_value IS NULL'
export const isNullValue = `v.element = -3 AND ${isNull}`

/** The rule of a field whose values are not lists. */
export const ruleOf = (of: Rows, field: FieldRef, filter: ValueFilter): FilterRule => ({
  ops: filter.ops,
  type: 'text',
  where: (op, values, bind) =>
    entriesWhere(
      of,
      field,
      bind,
      op === 'is_null' ? isNullValue : matching(filter, field.name, op, values, bind),
    ),
})

/** The condition on index rows `v`. Refuses values that are not of the type. */
export function matching(
  { number }: ValueFilter,
  name: string,
  op: Op,
  values: readonly string[],
  bind: Binds['bind'],
): string {
  if (!number) return matchingText(op, values, bind)
  const numbers = values.map((value) => {
    const read = number.read(value)
    if (read !== undefined) return read
    const detail = `Invalid filter: [${name}] must be ${number.accepted}, not [${value}]`
    throw new Problem('bad_filter', detail, { source: 'filter' })
  })
  return matchingNumber(op, numbers, bind)
}

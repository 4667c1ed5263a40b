import type { Resource } from '../../kernel/declare/resource.ts'
import type { AddedField, FilterRule } from '../../kernel/shape/model.ts'
import { matchingNumber, matchingText } from '../values/conditions.ts'
import { bit, type NumberForm, ruleOf, type ValueFilter } from '../values/filters.ts'
import { shownFieldsOf } from './define.ts'
import { type FieldValueType, typeOfSchema } from './field-rules.ts'
import { flowEntries } from './flow-rows.ts'

const number: NumberForm = {
  read: (text) => {
    const value = text.trim() === '' ? Number.NaN : Number(text)
    return Number.isFinite(value) ? value : undefined
  },
  accepted: 'a number',
}
const relations = ['lt', 'le', 'eq', 'gt', 'ge', 'is_null'] as const
const text: ValueFilter = { ops: [...relations, 'like'] }
const filters: Readonly<Record<FieldValueType, ValueFilter>> = {
  string: text,
  date: text,
  integer: { ops: relations, number },
  float: { ops: relations, number },
  boolean: { ops: ['eq', 'is_null'], number: bit },
}

// The kernel plans each resource once, so there is one for each state of the flow.
const cache = new WeakMap<Resource, Resource>()

/** The entries of a flow, with filters by the values of its fields. */
export function withValueFilters(own: Resource): Resource {
  const cached = cache.get(own)
  if (cached) return cached
  const filter = { ...own.filter, ...filtersOf(shownFieldsOf(own)) }
  const filtered = { ...own, filter }
  cache.set(own, filtered)
  return filtered
}

/** Every term uses the index table `entry_values`. */
const filtersOf = (fields: readonly AddedField[]): Record<string, FilterRule> =>
  Object.fromEntries(
    fields.map((field) => [field.name, ruleOf(flowEntries, field, filters[typeOfSchema(field.schema)])]),
  )

/**
 * SQL for the ids of products whose template field meets a condition, for the filters `extensions.<template>.<field>`
 * of product lists. `$1` is the store.
 */
export function productsWhere(
  template: string,
  field: string,
  op: 'eq' | 'in' | 'like',
  values: readonly string[],
  bind: (value: unknown) => string,
): string {
  const numbers = values
    .map((value) => number.read(value) ?? bit.read(value))
    .filter((one) => one !== undefined)
  const asText = matchingText(op, values, bind)
  const some = op !== 'like' && numbers.length > 0
  const either = some ? `(${asText} OR ${matchingNumber('in', numbers, bind)})` : asText
  return (
    `(SELECT v.entry_id FROM entry_values v WHERE v.store_id = $1 AND ${either} AND v.field_id = (SELECT f.id ` +
    'FROM flow_fields f JOIN flows w ON w.store_id = f.store_id AND w.id = f.flow_id ' +
    `WHERE f.store_id = $1 AND f.slug = ${bind(field)} AND w.slug = ${bind(`products(${template})`)}))`
  )
}

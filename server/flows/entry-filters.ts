import { matchingNumber, matchingText } from '../extensions/index.ts'
import type { Resource } from '../kernel/declare/resource.ts'
import { Problem } from '../kernel/errors.ts'
import type { Op } from '../kernel/shape/list-query.ts'
import type { AddedField, FilterRule } from '../kernel/shape/model.ts'

const relations = ['lt', 'le', 'eq', 'gt', 'ge', 'is_null'] as const
const operators = {
  string: [...relations, 'like'],
  number: relations,
  boolean: ['eq', 'is_null'],
} as const satisfies Record<string, readonly Op[]>

// The kernel plans each resource once, so there is one for each state of the flow.
const cache = new WeakMap<Resource, Resource>()

/** The entries of a flow, with filters by the values of its fields. */
export function withValueFilters(own: Resource): Resource {
  const cached = cache.get(own)
  if (cached) return cached
  const filter = { ...own.filter, ...filtersOf(own.added?.fields ?? []) }
  const filtered = { ...own, filter }
  cache.set(own, filtered)
  return filtered
}

/** Every term uses the index table `entry_values`. */
const filtersOf = (fields: readonly AddedField[]): Record<string, FilterRule> =>
  Object.fromEntries(
    fields.filter(({ hidden, holdsLinks }) => !hidden && !holdsLinks).map((one) => [one.name, ruleOf(one)]),
  )

function ruleOf(field: AddedField): FilterRule {
  const type = typeOf(field)
  return {
    ops: operators[type],
    type: 'text',
    where: (op, values, bind) => {
      const condition = op === 'is_null' ? 'v.element = -3' : matching(field.name, type, op, values, bind)
      return (
        `flow_entries.id IN (SELECT v.entry_id FROM entry_values v WHERE v.store_id = $1 ` +
        `AND v.field_id = ${bind(field.id)}::uuid AND ${condition})`
      )
    },
  }
}

type Type = keyof typeof operators

function typeOf({ schema }: AddedField): Type {
  const type = [schema.type].flat()[0]
  return type === 'string' || type === 'boolean' ? type : 'number'
}

/** The condition on index rows `v`. Refuses values that are not of the type. */
function matching(
  name: string,
  type: Type,
  op: Op,
  values: readonly string[],
  bind: (value: unknown) => string,
): string {
  if (type === 'string') return matchingText(op, values, bind)
  const numbers = values.map((value) => {
    const number = type === 'boolean' ? asBit(value) : asNumber(value)
    if (number !== undefined) return number
    const expected = type === 'boolean' ? 'true or false' : 'a number'
    throw new Problem('bad_filter', `Invalid filter: [${name}] must be ${expected}, not [${value}]`, {
      source: 'filter',
    })
  })
  return matchingNumber(op, numbers, bind)
}

const asBit = (text: string) => (text === 'true' ? 1 : text === 'false' ? 0 : undefined)

function asNumber(text: string): number | undefined {
  const number = text.trim() === '' ? Number.NaN : Number(text)
  return Number.isFinite(number) ? number : undefined
}

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
  const numbers = values.map((value) => asNumber(value) ?? asBit(value)).filter((one) => one !== undefined)
  const asText = matchingText(op, values, bind)
  const some = op !== 'like' && numbers.length > 0
  const either = some ? `(${asText} OR ${matchingNumber('in', numbers, bind)})` : asText
  return (
    `(SELECT v.entry_id FROM entry_values v WHERE v.store_id = $1 AND ${either} AND v.field_id = (SELECT f.id ` +
    'FROM flow_fields f JOIN flows w ON w.store_id = f.store_id AND w.id = f.flow_id ' +
    `WHERE f.store_id = $1 AND f.slug = ${bind(field)} AND w.slug = ${bind(`products(${template})`)}))`
  )
}

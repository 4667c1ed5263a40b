import type { Op } from '../../kernel/shape/list-query.ts'
import type { FilterRule } from '../../kernel/shape/model.ts'
import type { Binds } from '../../kernel/storage/binds.ts'
import {
  bit,
  entriesWhere,
  isNull,
  isNullValue,
  matching,
  type NumberForm,
  ruleOf,
  type ValueFilter,
} from '../values/filters.ts'
import type { DefinedField } from './definition.ts'
import { entries } from './entry-rows.ts'
import type { ElementType } from './field-rules.ts'

/** The filters of a list of entries, by field. Every term uses the index table `entry_values`. */
export const filtersOf = (fields: readonly DefinedField[]): Record<string, FilterRule> => ({
  ...Object.fromEntries(fields.filter(({ type }) => type === 'list').flatMap(partRules)),
  // A field whose slug looks like a part of a list takes precedence.
  ...Object.fromEntries(
    fields.flatMap((field) => {
      const { name, type } = field
      if (type === 'any') return []
      return [[name, type === 'list' ? listRule(field) : ruleOf(entries, field, scalars[type])]]
    }),
  ),
})

const numberIn = (form: RegExp, accepted: string): NumberForm => ({
  accepted,
  read: (text) => {
    const number = form.test(text.trim()) ? Number(text) : Number.NaN
    return Number.isFinite(number) ? number : undefined
  },
})

const relations = ['lt', 'le', 'gt', 'ge'] as const

const scalars = {
  string: { ops: ['lt', 'le', 'eq', 'gt', 'ge', 'is_null', 'like'] },
  integer: {
    ops: ['lt', 'le', 'eq', 'gt', 'ge', 'is_null'],
    number: numberIn(/^[+-]?\d+$/, 'a whole number'),
  },
  float: {
    ops: ['lt', 'le', 'gt', 'ge', 'in', 'is_null'],
    number: numberIn(/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i, 'a number'),
  },
  boolean: { ops: ['eq', 'is_null'], number: bit },
} as const satisfies Record<string, ValueFilter>

// The index has elements of any type as texts.
const elementsOf = (type: ElementType): ValueFilter => scalars[type === 'any' ? 'string' : type]

function listRule(field: DefinedField): FilterRule {
  const type = field.rules.allowed_type ?? 'any'
  const elements = elementsOf(type)
  // Not for untyped lists: the index does not distinguish "1" and 1.
  const ops = ['contains', 'contains_any', ...(type === 'any' ? [] : ['contains_all']), 'is_null'] as Op[]
  const holding = (values: readonly string[], bind: Binds['bind']) =>
    entriesWhere(
      entries,
      field,
      bind,
      `v.element >= 0 AND ${matching(elements, field.name, 'in', values, bind)}`,
    )
  return {
    ops,
    type: 'text',
    where: (op, values, bind) => {
      if (op === 'is_null') return entriesWhere(entries, field, bind, isNullValue)
      if (op === 'contains_all') return `(${values.map((value) => holding([value], bind)).join(' AND ')})`
      // A list has no values of another type, so they cannot match.
      const possible = values.filter((value) => !elements.number || elements.number.read(value) !== undefined)
      return possible.length > 0 ? holding(possible, bind) : 'false'
    },
  }
}

/** `field[3]` and `field.length`. */
function partRules(field: DefinedField): [string, FilterRule][] {
  const { name } = field
  const type = field.rules.allowed_type ?? 'any'
  const ops: Op[] = ['eq', 'is_null']
  if (type === 'string' || type === 'any') ops.push('like')
  if (type !== 'any') ops.push(...relations)
  const element: FilterRule = {
    ops,
    type: 'text',
    part: /^\d{1,3}$/,
    where: (op, values, bind, place) => {
      const condition =
        op === 'is_null' ? isNull : matching(elementsOf(type), `${name}[${place}]`, op, values, bind)
      return entriesWhere(entries, field, bind, `v.element = ${bind(place)}::smallint AND ${condition}`)
    },
  }
  const length: FilterRule = {
    ops: ['eq', ...relations],
    type: 'text',
    where: (op, values, bind) => {
      const condition = matching(scalars.integer, `${name}.length`, op, values, bind)
      return entriesWhere(entries, field, bind, `v.element = -1 AND ${condition}`)
    },
  }
  return [
    [`${name}[]`, element],
    [`${name}.length`, length],
  ]
}

import type { Op } from '../shape/list-query.ts'
import type { FilterRule } from '../shape/model.ts'
import type { Binds } from '../storage/binds.ts'
import { caseless } from '../storage/expressions.ts'
import { headOf } from './long-text.ts'
import { casts } from './page-text.ts'
import type { PlannedFilter } from './plan.ts'

const comparisons = { eq: '=', gt: '>', ge: '>=', lt: '<', le: '<=', like: 'LIKE', ilike: 'LIKE' } as const

/** The SQL condition of a planned filter. `alone` says that the query has no other condition on the table. */
export function condition(filter: PlannedFilter, binds: Pick<Binds, 'bind'>, alone = false): string {
  if (filter.is !== 'term') {
    return `(${filter.parts.map((part) => condition(part, binds)).join(filter.is === 'and' ? ' AND ' : ' OR ')})`
  }
  const { op, rule, values, part } = filter
  // An empty list of values, as in `in(id,)`, matches nothing.
  if (!values.length && op !== 'is_null') return 'false'
  if (rule.where) return rule.where(op, values, binds.bind, part, alone)
  if (op === 'is_null') return `${rule.column} IS NULL`
  const cast = casts[rule.type]
  const fold = folds(rule, op) ? caseless : (text: string) => text
  if (op === 'in') {
    const among = (inIndex: (text: string) => string) =>
      `${inIndex(rule.column)} IN (${values.map((value) => inIndex(binds.bind(value) + cast)).join(', ')})`
    return rule.long ? `(${among(headOf)} AND ${among(fold)})` : among(fold)
  }
  if (op === 'contains' || op === 'contains_any' || op === 'contains_all' || op === 'text') {
    throw new Error(`${rule.column}: ${op} needs a where of its own`)
  }
  const compared = `${fold(rule.column)} ${comparisons[op]} ${fold(binds.bind(values[0]) + cast)}`
  const byHead = rule.long && headComparisons[op as keyof typeof headComparisons]
  if (!byHead) return compared
  return `(${headOf(rule.column)} ${byHead} ${headOf(binds.bind(values[0]))} AND ${compared})`
}

/** The operators that compare the beginnings of two texts, by the operator that compares the texts. */
const headComparisons = { eq: '=', gt: '>=', ge: '>=', lt: '<=', le: '<=' } as const

const folds = ({ caseless }: FilterRule, op: Op) =>
  op === 'ilike' || (caseless === 'like' ? op === 'like' : caseless && (op === 'eq' || op === 'in'))

/** The SQL of what the index for this operator contains, for a column or a value. */
export function indexedOf(rule: FilterRule, op: Op): (text: string) => string {
  if (folds(rule, op)) return caseless
  return rule.long ? headOf : (text) => text
}

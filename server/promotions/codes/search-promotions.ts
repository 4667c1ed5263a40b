import { Problem } from '../../kernel/errors.ts'
import type { Op } from '../../kernel/shape/list-query.ts'
import type { FilterRule } from '../../kernel/shape/model.ts'
import type { Bind } from '../../kernel/storage/binds.ts'
import { foldedCode } from './folded-code.ts'
import { kinds, type PromotionKind } from './promotion-kinds.ts'

/** The filters that find standard promotions by their codes and by the orders that used them. */

const { codes, usages } = kinds.standard
const orders = usages.table

type Compare = (op: Op, values: readonly string[], bind: Bind) => string

/** The promotions that have a row in a table of theirs: for each promotion, an index of that table says so. */
const withRow =
  (table: string, compare: Compare): NonNullable<FilterRule['where']> =>
  (op, values, bind) =>
    `id IN (SELECT p.id FROM promotions p WHERE p.store_id = $1 AND EXISTS (SELECT 1 FROM ${table} t
       WHERE t.store_id = $1 AND t.promotion_id = p.id AND ${compare(op, values, bind)}))`

const signs: Partial<Record<Op, string>> = { gt: '>', ge: '>=', lt: '<', le: '<=' }

/** Compares a column; `toSql` is the SQL of a value. */
const column =
  (name: string, toSql: (bound: string) => string): Compare =>
  (op, values, bind) => {
    const all = values.map((value) => toSql(bind(value)))
    if (op === 'like') return `${name} LIKE ${all[0]}`
    return signs[op] ? `${name} ${signs[op]} ${all[0]}` : `${name} IN (${all.join(', ')})`
  }

/** Compares an instant. Midnight stands for its whole day where instants must be equal. */
const instant =
  (name: string): Compare =>
  (op, values, bind) => {
    if (signs[op]) return `${name} ${signs[op]} ${bind(values[0])}::timestamptz`
    const within = values.map((value) => {
      const from = `${bind(value)}::timestamptz`
      const length = value.endsWith('T00:00:00.000Z') ? '1 day' : '1 millisecond'
      return `(${name} >= ${from} AND ${name} < ${from} + interval '${length}')`
    })
    return `(${within.join(' OR ')})`
  }

const countMax = 10_000

/** How many rows decide a comparison with these numbers: a promotion may have millions of orders. */
function rowsFor(name: string, values: readonly string[]): number {
  const most = Math.max(...values.map(Number))
  if (most > countMax) {
    const detail = `Invalid filter: [${name}] must be at most ${countMax}, not [${most}]`
    throw new Problem('bad_filter', detail, { source: 'filter' })
  }
  return Math.max(0, Math.ceil(most)) + 1
}

function checkouts(op: Op, values: readonly string[], bind: Bind): string {
  const limit = rowsFor('promo_checkouts', values)
  const test = column('c.n', (bound) => `${bound}::numeric`)(op, values, bind)
  return `id IN (SELECT p.id FROM promotions p CROSS JOIN LATERAL (SELECT count(*) AS n FROM (
      SELECT DISTINCT u.order_id FROM ${orders} u WHERE u.store_id = $1 AND u.promotion_id = p.id
      LIMIT ${limit}) few) c WHERE p.store_id = $1 AND ${test})`
}

/** Each usage is at least one use of its code. */
function uses(op: Op, values: readonly string[], bind: Bind): string {
  const limit = rowsFor('code_used', values)
  const test = column('used.n', (bound) => `${bound}::numeric`)(op, values, bind)
  return `id IN (SELECT p.id FROM promotions p WHERE p.store_id = $1 AND EXISTS (SELECT 1 FROM ${codes.table} c
    CROSS JOIN LATERAL (SELECT coalesce(sum(few.n), 0) AS n FROM (
      SELECT (u.doc->>'times_used')::bigint AS n FROM ${orders} u
      WHERE u.store_id = $1 AND u.promotion_id = c.promotion_id AND u.code = c.code LIMIT ${limit}) few) used
    WHERE c.store_id = $1 AND c.promotion_id = p.id AND ${test}))`
}

const ranges = ['eq', 'gt', 'ge', 'lt', 'le'] as const
const asUuid = (bound: string) => `${bound}::uuid`
const asText = (bound: string) => `${bound}::text`

/** By their names in a search of the public contract. */
export const promotionSearch: Readonly<Record<string, FilterRule>> = {
  promo_checkouts: { ops: ranges, type: 'number', where: checkouts },
  code_id: { ops: ['eq'], type: 'uuid', where: withRow(codes.table, column('t.id', asUuid)) },
  code_code: { ops: ['eq', 'like'], type: 'text', where: withRow(codes.table, column('t.code', foldedCode)) },
  code_used: { ops: ranges, type: 'number', where: uses },
  code_created_date: { ops: ranges, type: 'time', where: withRow(codes.table, instant('t.created_at')) },
  order_id: {
    ops: ['eq', 'like'],
    type: 'text',
    where: withRow(
      orders,
      column('t.order_id::text', (bound) => `lower(${bound})`),
    ),
  },
  order_customer_email: {
    ops: ['eq', 'like'],
    type: 'text',
    where: withRow(orders, column('t.customer_email', asText)),
  },
  order_created_date: { ops: ranges, type: 'time', where: withRow(orders, instant('t.used_on')) },
}

/** Finds the promotions that have a code, in capitals or small letters. */
export const promotionsOfCode = ({ codes: { table }, holdsCodes }: PromotionKind): FilterRule => ({
  ops: ['eq'],
  type: 'text',
  where: (_op, values, bind) =>
    `id IN (SELECT promotion_id FROM ${table} WHERE store_id = $1${holdsCodes ? ' AND is_held' : ''}
       AND code IN (${values.map((value) => foldedCode(bind(value))).join(', ')}))`,
})

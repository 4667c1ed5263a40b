import type { FilterRule } from '../../kernel/shape/model.ts'
import { caseless } from '../../kernel/storage/expressions.ts'
import { orders } from '../order/orders.ts'

type Where = NonNullable<FilterRule['where']>

const contains = (
  type: 'uuid' | 'text',
  where: (value: string, bind: Parameters<Where>[2]) => string,
): FilterRule => ({
  ops: ['contains'],
  type,
  where: (_op, [value = ''], bind) => where(value, bind),
})

const listed = (list: string, type: 'uuid' | 'text'): FilterRule =>
  contains(type, (value, bind) => {
    const text = type === 'uuid' ? value.toLowerCase() : value
    return `${list} @> ${bind(JSON.stringify([text]))}::jsonb`
  })

/** A code is in the usages of the promotions that it belongs to, of both kinds. */
const withCode = contains('text', (code, bind) => {
  const usages = ['standard_promotion_usages', 'rule_promotion_usages'].map(
    (table) =>
      `SELECT order_id FROM ${table} WHERE store_id = $1 AND code = ${caseless(`${bind(code.trim())}::text`)}`,
  )
  return `id IN (${usages.join(' UNION ALL ')})`
})

/** Orders, with the filters of metrics. A filter selects whole orders, with all of their items. */
export const measuredOrders = {
  fields: orders.fields,
  filter: {
    product_ids: listed('product_ids', 'uuid'),
    product_skus: listed('product_skus', 'text'),
    promotion_ids: listed("(hidden->'promotion_ids')::jsonb", 'uuid'),
    promotion_codes: withCode,
  },
}

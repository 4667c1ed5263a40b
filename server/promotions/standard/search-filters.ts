import type { FilterRule } from '../../kernel/shape/model.ts'

/** Filters that no index answers. A store has at most a thousand promotions, so each of these reads few documents. */

// By the clock of the database: a filter does not know that of the process.
const statuses: Readonly<Record<string, string>> = {
  disabled: 'NOT enabled',
  scheduled: '(enabled AND starts_at > now())',
  running: '(enabled AND starts_at <= now() AND ends_at > now())',
  expired: '(enabled AND starts_at <= now() AND ends_at <= now())',
}

/** `Running`, `Scheduled`, `Expired` or `Disabled`; nothing has another status. */
export const byStatus: FilterRule = {
  ops: ['eq'],
  type: 'text',
  where: (_op, values) =>
    `(${values.map((value) => (Object.hasOwn(statuses, value.toLowerCase()) ? statuses[value.toLowerCase()] : 'false')).join(' OR ')})`,
}

/** Where a schema names products, by SKU or id; not those that it excludes. */
const places = ['$.targets[*]', '$.requirements[*].targets[*]', '$.gifts[*]']

/** The products that a promotion is for: the SKUs and ids in its targets, its bundles and its gifts. */
export const byProduct: FilterRule = {
  ops: ['eq', 'like'],
  type: 'text',
  where: (op, values, bind) => {
    const named = `SELECT place #>> '{}' AS name FROM unnest('{${places.join(',')}}'::jsonpath[]) path,
      jsonb_path_query((doc->'schema')::jsonb, path) place`
    const test =
      op === 'like'
        ? `name LIKE ${bind(values[0])}::text`
        : `name IN (${values.map((value) => `${bind(value)}::text`).join(', ')})`
    return `EXISTS (SELECT 1 FROM (${named}) named WHERE ${test})`
  },
}

import { isId } from '../../kernel/ids.ts'
import type { FilterRule } from '../../kernel/shape/model.ts'

/**
 * Filters by what the rules of a promotion are made of. No index answers them, but a store has at most a thousand rule
 * promotions, and rules are small.
 */

const inDocument = (path: string, value: string): string =>
  `jsonb_path_exists((doc->'rule_set'->'rules')::jsonb, '${path}', ${value}::jsonb)`

/** The strategies of the topmost conditions. */
export const byStrategy: FilterRule = {
  ops: ['eq'],
  type: 'text',
  where: (_op, values, bind) =>
    inDocument('$.strategy ? (@ == $values[*])', bind(JSON.stringify({ values }))),
}

/** Ids are stored in small letters, and numbers as numbers. */
const formsOf = (value: string): readonly unknown[] => {
  const number = value.trim() === '' ? Number.NaN : Number(value)
  return [isId(value) ? value.toLowerCase() : value, ...(Number.isFinite(number) ? [number] : [])]
}

/** The arguments of the topmost conditions, also the SKUs and ids inside them. */
export const byArgs: FilterRule = {
  ops: ['contains'],
  type: 'text',
  where: (_op, [value = ''], bind) =>
    inDocument('$.args.** ? (@ == $values[*])', bind(JSON.stringify({ values: formsOf(value) }))),
}

/** The account tags that any condition names. */
export const byAccountTags: FilterRule = {
  ops: ['contains'],
  type: 'text',
  where: (_op, [value = ''], bind) =>
    inDocument(
      '$.** ? (@.strategy == "account_tags").args[*] ? (@ == $values[*])',
      bind(JSON.stringify({ values: formsOf(value) })),
    ),
}

import type { FilterRule } from '../../kernel/shape/model.ts'
import { foldedCode } from './folded-code.ts'
import type { Kind } from './promotion-kinds.ts'

/** Finds the promotions that have a code, in capitals or small letters. */
export const promotionsOfCode = ({ codes: { table }, holdsCodes }: Kind): FilterRule => ({
  ops: ['eq'],
  type: 'text',
  where: (_op, values, bind) =>
    `id IN (SELECT promotion_id FROM ${table} WHERE store_id = $1${holdsCodes ? ' AND is_held' : ''}
       AND code IN (${values.map((value) => foldedCode(bind(value))).join(', ')}))`,
})

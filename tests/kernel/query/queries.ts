import { Problem } from '../../../server/kernel/errors.ts'
import { parse } from '../../../server/kernel/query/parse.ts'
import type { Filter, Op } from '../../../server/kernel/shape/list-query.ts'

export const term = (op: Op, field: string, ...values: string[]): Filter => ({
  is: 'term',
  op,
  field,
  values,
})
export const and = (...parts: Filter[]): Filter => ({ is: 'and', parts })
export const or = (...parts: Filter[]): Filter => ({ is: 'or', parts })

/** The problem a query is refused with; anything else that is thrown fails the test. */
export function refusal(query: string): {
  code: string
  source: string | undefined
  detail: string | undefined
} {
  try {
    const ask = parse(query)
    return { code: 'none', source: undefined, detail: `accepted: ${JSON.stringify(ask)}` }
  } catch (thrown) {
    if (!(thrown instanceof Problem)) throw thrown
    return { code: thrown.code, source: thrown.source, detail: thrown.detail }
  }
}

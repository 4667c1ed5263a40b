import { Problem } from '../../kernel/errors.ts'
import type { Answer } from '../../kernel/shape/answer.ts'
import { integer } from '../../kernel/shape/fields.ts'
import { sqlState } from '../../kernel/storage/database.ts'
import type { Ctx } from '../../kernel/work/context.ts'

const timeoutMsMax = 20_000

/** The query parameter `timeout`. */
export const timeout = integer({
  min: 1,
  max: timeoutMsMax,
  about: 'The time limit of the list in milliseconds; 422 if it takes longer.',
})

/** The SQLSTATE of a statement that `statement_timeout` has cancelled. */
const cancelled = '57014'

/** Runs a list within the `timeout` of the request, if it has one. */
export async function within(ctx: Ctx, query: string, work: (ctx: Ctx) => Promise<Answer>): Promise<Answer> {
  const timeoutMs = readTimeout(query)
  // An export has a limit of its own, and a snapshot in place of this transaction.
  if (timeoutMs === undefined || ctx.lines) return work(ctx)
  try {
    return await ctx.transaction(async (ctx) => {
      await ctx.store.run(
        `SELECT set_config('statement_timeout', $2, true) WHERE $1::uuid IS NOT NULL`,
        String(timeoutMs),
      )
      return work(ctx)
    })
  } catch (error) {
    if (sqlState(error) !== cancelled) throw error
    throw new Problem('timed_out', `request timed out after ${timeoutMs} ms.`, { cause: error })
  }
}

function readTimeout(query: string): number | undefined {
  const value = new URLSearchParams(query).get('timeout')
  if (value === null) return undefined
  const timeoutMs = /^\d{1,6}$/.test(value) ? Number(value) : 0
  if (timeoutMs >= 1 && timeoutMs <= timeoutMsMax) return timeoutMs
  const detail = `timeout must be a whole number from 1 to ${timeoutMsMax}, not ${JSON.stringify(value.slice(0, 40))}.`
  throw new Problem('bad_request', detail, { source: 'timeout' })
}

import { Problem } from '../errors.ts'
import { prefers, type RequestHeaders } from '../http/prefer.ts'
import type { Answer } from '../shape/answer.ts'
import type { Ctx } from '../work/context.ts'

/** Runs an action, or rehearses it where the request prefers a dry run: see `Work.rehearse`. */
export async function runOrRehearse(
  ctx: Ctx,
  headers: RequestHeaders,
  run: (ctx: Ctx) => Promise<Answer>,
): Promise<Answer> {
  if (!prefers(headers, 'dry-run')) return run(ctx)
  if (headers['idempotency-key'] !== undefined) {
    const detail = 'A dry run changes nothing, so it takes no Idempotency-Key. Leave it out.'
    throw new Problem('bad_request', detail, { source: 'Idempotency-Key' })
  }
  const answer = await ctx.rehearse(run)
  return { ...answer, headers: { ...answer.headers, 'preference-applied': 'dry-run' } }
}

import { Problem } from '../errors.ts'
import type { Answer } from '../shape/answer.ts'
import { text } from '../shape/fields.ts'
import type { Ctx } from '../work/context.ts'

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** Whether the request has a preference (RFC 7240): `Prefer: explain, dry-run`. */
export const prefers = (headers: Headers, preference: string): boolean =>
  String(headers.prefer ?? '')
    .split(',')
    .some((one) => one.trim().toLowerCase() === preference)

/** For the API document. */
export const dryRunHeader = {
  Prefer: text({
    about:
      '`dry-run` asks what the request would do: the response is the one of the real request, and nothing changes. It has `Preference-Applied: dry-run`.',
  }),
}

/** Runs an action, or rehearses it where the request prefers a dry run: see `Work.rehearse`. */
export async function runOrRehearse(
  ctx: Ctx,
  headers: Headers,
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

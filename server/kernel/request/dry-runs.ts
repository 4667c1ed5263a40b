import { Readable } from 'node:stream'
import { text as textOf } from 'node:stream/consumers'
import {
  cannotRehearse,
  type Incoming,
  isRehearsable,
  isSilentDelete,
  type Operation,
} from '../declare/operation.ts'
import { Problem } from '../errors.ts'
import { countDeleted } from '../feed/count-deleted.ts'
import { prefers, type RequestHeaders } from '../http/prefer.ts'
import { type Answer, json } from '../shape/answer.ts'
import type { Ctx } from '../work/context.ts'

/** Whether the request wants a dry run of an operation that writes; refuses those that there are none of. */
export function wantsDryRun(operation: Operation, headers: RequestHeaders): boolean {
  if (headers.prefer === undefined || operation.method === 'GET' || !prefers(headers, 'dry-run')) return false
  if (!isRehearsable(operation)) {
    const detail = `This operation has no dry run: ${cannotRehearse(operation)} Leave out Prefer: dry-run.`
    throw new Problem('bad_request', detail, { source: 'Prefer' })
  }
  if (headers['idempotency-key'] === undefined) return true
  const detail = 'A dry run changes nothing, so it takes no Idempotency-Key. Leave it out.'
  throw new Problem('bad_request', detail, { source: 'Idempotency-Key' })
}

/** Runs an operation and undoes its writes: see `Work.rehearse`. */
export async function dryRun(operation: Operation, ctx: Ctx, call: Incoming): Promise<Answer> {
  // No transaction may wait for an upload: those that the action opens are undone.
  const answer = call.upload
    ? await operation.run(ctx.inRehearsal(), call)
    : await ctx.rehearse((inside) => answerInside(operation, inside, call))
  return { ...answer, headers: { ...answer.headers, 'preference-applied': 'dry-run' } }
}

async function answerInside(operation: Operation, inside: Ctx, call: Incoming): Promise<Answer> {
  if (isSilentDelete(operation)) {
    const { counts } = await countDeleted(inside, () => operation.run(inside, call))
    return json(200, { meta: { would_delete: counts } })
  }
  const answer = await operation.run(inside, call)
  // What a stream would read while it is sent is undone by then.
  return answer.body instanceof Readable ? { ...answer, body: await textOf(answer.body) } : answer
}

import { mayDo } from '../auth/access.ts'
import type { Keys } from '../auth/keys.ts'
import { actsAsSeller, type Principal } from '../auth/principal.ts'
import { seal, tryOpen } from '../auth/seal.ts'
import { isObject } from '../body/input.ts'
import type { Call } from '../declare/call.ts'
import type { Operation } from '../declare/operation.ts'
import type { Resource } from '../declare/resource.ts'
import { Problem } from '../errors.ts'
import { objectAnswer } from '../http/object-answer.ts'
import { isId } from '../ids.ts'
import { findByName, scopeOf } from '../query/find.ts'
import type { Answer } from '../shape/answer.ts'
import type { Store } from '../storage/store.ts'
import type { Ctx, Instance } from '../work/context.ts'

/** How much of a response is stored for an Idempotency-Key: a caller may use many keys, each with a long response. */
export const storedBytesMax = { readable: 4 * 1024, any: 64 * 1024 } as const

/** The body that is stored for a response. */
interface StoredBody {
  readonly text: string
  /** Only the types and ids of its objects. */
  readonly isShortened: boolean
}

/**
 * Shortens the body of a response that is too long to be stored. A long object that can be read again becomes its type
 * and id; so does what is longer still.
 */
export function shorten(text: string, isReadable: boolean): StoredBody {
  const bytes = Buffer.byteLength(text)
  if (bytes <= (isReadable ? storedBytesMax.readable : storedBytesMax.any))
    return { text, isShortened: false }
  const { data, errors } = JSON.parse(text) as { data?: unknown; errors?: unknown }
  const short = JSON.stringify({ data: referencesTo(data), errors })
  return { text: Buffer.byteLength(short) <= storedBytesMax.any ? short : '{}', isShortened: true }
}

function referencesTo(data: unknown): unknown {
  if (Array.isArray(data)) return data.map(referencesTo)
  if (!isObject(data)) return undefined
  const { type, id } = data
  return { type, id }
}

/**
 * The resource of the object that an operation responds with, if the caller may read such objects. Others may only
 * create one: the response to that may show less than the object has.
 */
export function resourceToRepeat(
  { access }: Pick<Instance, 'access'>,
  { of }: Operation,
  who: Pick<Principal, 'kind' | 'grant' | 'sessionId' | 'shopper'>,
): Resource | undefined {
  const resource = resourceShownBy(of)
  if (!resource || !mayDo(access, who.kind, resource.area, 'read')) return undefined
  return saysWhoReads(resource) || actsAsSeller(who) ? resource : undefined
}

/** Whether the resource says which objects a shopper may read. An action that reads them may have rules of its own. */
const saysWhoReads = ({ operations, visible }: Resource): boolean =>
  (operations?.includes('get') ?? true) || typeof visible === 'function'

function resourceShownBy(of: Operation['of']): Resource | undefined {
  if (of.is === 'resource') return of.resource
  return of.is === 'action' && !of.action.shows?.page ? of.action.shows?.resource : undefined
}

/** A shortened response with its object as it is now; as it was stored if that is gone, or there are several. */
export async function lengthen(
  ctx: Ctx,
  resource: Resource | undefined,
  { params }: Pick<Call, 'params'>,
  stored: Answer,
): Promise<Answer> {
  const { data } = JSON.parse(stored.body as string) as { data?: { id?: string } }
  if (!resource || typeof data?.id !== 'string') return stored
  try {
    const scope = await scopeOf(ctx, resource, params)
    const { headers, body } = objectAnswer(
      stored.status,
      resource,
      await findByName(ctx, resource, data.id, scope),
      ctx,
    )
    return { ...stored, body, headers: { ...stored.headers, ...headers } }
  } catch (error) {
    if (error instanceof Problem && error.code === 'not_found') return stored
    throw error
  }
}

const answersPerRound = 1000
const uuids = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

/**
 * Empties the stored responses that contain one of these ids: a UUID anywhere, or another one as an `id`. Responses are
 * sealed, so it opens each; there are those of one day. The keys stay, so that a repeated request does not create the
 * object again.
 */
export async function forgetAnswers(store: Store, sealKeys: Keys, ids: readonly string[]): Promise<void> {
  const erased = new Set(ids.filter(isId))
  const chosen = ids.filter((id) => !isId(id)).map((id) => `"id":${JSON.stringify(id)}`)
  const names = (sealed: string) => {
    const body = tryOpen(sealKeys, sealed)
    // A response that cannot be opened may contain any id.
    if (body === undefined || body.match(uuids)?.some((id) => erased.has(id))) return true
    return chosen.some((id) => body.includes(id))
  }
  for (let after = ''; ; ) {
    const answers = await store.run(
      `SELECT key, body FROM idempotency_keys WHERE store_id = $1 AND key > $2 AND body IS NOT NULL
       ORDER BY key LIMIT ${answersPerRound}`,
      after,
    )
    const keys = answers.filter(([, body]) => names(body as string)).map(([key]) => key)
    if (keys.length) {
      await store.run(
        'UPDATE idempotency_keys SET body = $2 WHERE store_id = $1 AND key = ANY($3::text[])',
        seal(sealKeys, '{}'),
        keys,
      )
    }
    if (answers.length < answersPerRound) return
    after = answers.at(-1)?.[0] as string
  }
}

import { accountMemberToken } from '../accounts/index.ts'
import { customerToken } from '../customers/index.ts'
import { Problem } from '../kernel/errors.ts'
import { instantOf, isDay } from '../kernel/shape/days.ts'
import type { Ctx, ShopperToken } from '../kernel/work/context.ts'

/** The headers of a request. */
export type Headers = Readonly<Record<string, string | string[] | undefined>>

/** Who is shopping, as the request says, and when. */
export interface Shopper {
  readonly accountId: string | undefined
  readonly customerId: string | undefined
  readonly channel: string | undefined
  readonly tags: readonly string[]
  readonly at: Date
}

/** Who is shopping, and when: what rules, schedules and sales go by. */
export async function shopperOf(ctx: Ctx, headers: Headers): Promise<Shopper> {
  const [member, customer] = await Promise.all([
    bearerOf(ctx, headers, accountMemberToken),
    bearerOf(ctx, headers, customerToken),
  ])
  return {
    accountId: member?.claims.account_id as string | undefined,
    customerId: customer?.id,
    channel: words(headers['ep-channel'])[0],
    tags: words(headers['ep-context-tag']).flatMap((tags) => words(...tags.split(','))),
    at: instantAsked(ctx, headers) ?? ctx.clock.now(),
  }
}

/** Whose token came along. The pipeline has looked at one of several. */
async function bearerOf(
  { who, store, instance }: Ctx,
  headers: Headers,
  { kind, header, verify }: ShopperToken,
) {
  if (who.kind === kind) return who.shopper
  const [token] = words(headers[header])
  return token === undefined ? undefined : verify(instance, store.id, token)
}

/** What is in headers, without what is empty. */
const words = (...texts: readonly (string | string[] | undefined)[]): readonly string[] =>
  texts
    .flatMap((text) => text ?? [])
    .map((text) => text.trim())
    .filter(Boolean)

const atHeader = 'Sutler-At'

/** The instant that a merchant asks for in place of the present: the shop as it was, or as it will be. */
export function instantAsked({ who }: Ctx, headers: Headers): Date | undefined {
  const [text] = words(headers[atHeader.toLowerCase()])
  if (text === undefined) return undefined
  if (who.grant !== 'client_credentials') {
    const detail = `${atHeader} needs an access token of the grant client_credentials. Leave it out.`
    throw new Problem('forbidden', detail, { source: atHeader })
  }
  if (!isDay(text)) {
    const detail = `${atHeader} must be an instant such as 2026-12-24T18:00:00Z, not ${JSON.stringify(text)}.`
    throw new Problem('bad_request', detail, { source: atHeader })
  }
  return new Date(instantOf(text))
}

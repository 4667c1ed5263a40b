import { isSeller } from '../../kernel/auth/principal.ts'
import { instantOf, isDay } from '../../kernel/body/days.ts'
import { Problem } from '../../kernel/errors.ts'
import type { RequestHeaders } from '../../kernel/http/prefer.ts'
import type { Ctx, ShopperToken } from '../../kernel/work/context.ts'
import { accountMemberToken, customerToken } from '../../people/index.ts'

/** A shopper, and the instant of their request. */
export interface CatalogShopper {
  readonly accountId: string | undefined
  readonly customerId: string | undefined
  readonly channel: string | undefined
  readonly tags: readonly string[]
  readonly at: Date
}

/** Reads the shopper from the headers of a request, and the instant for rules, schedules and sales. */
export async function shopperOf(ctx: Ctx, headers: RequestHeaders): Promise<CatalogShopper> {
  const [member, customer] = await Promise.all([
    bearerOf(ctx, headers, accountMemberToken),
    bearerOf(ctx, headers, customerToken),
  ])
  return {
    accountId: member?.claims.account_id as string | undefined,
    customerId: customer?.id,
    channel: words(headers['ep-channel'])[0],
    tags: words(headers['ep-context-tag']).flatMap((tags) => words(...tags.split(','))),
    at: requestedInstant(ctx, headers) ?? ctx.clock.now(),
  }
}

/** The bearer of a shopper token. Of several tokens the pipeline has verified one. */
async function bearerOf(
  { who, store, instance }: Ctx,
  headers: RequestHeaders,
  { kind, header, verify }: ShopperToken,
) {
  if (who.kind === kind) return who.shopper
  const [token] = words(headers[header])
  return token === undefined ? undefined : verify(instance, store.id, token)
}

/** The values of headers that are not empty. */
const words = (...texts: readonly (string | string[] | undefined)[]): readonly string[] =>
  texts
    .flatMap((text) => text ?? [])
    .map((text) => text.trim())
    .filter(Boolean)

const atHeader = 'Sutler-At'

/** The instant that a merchant requests instead of the present, to see the shop as it was or will be. */
export function requestedInstant({ who }: Ctx, headers: RequestHeaders): Date | undefined {
  const [text] = [headers[atHeader.toLowerCase()]].flat()
  if (text === undefined) return undefined
  if (!isSeller(who)) {
    const detail = `${atHeader} needs an access token of the grant client_credentials. Leave it out.`
    throw new Problem('forbidden', detail, { source: atHeader })
  }
  if (!isDay(text.trim())) {
    const detail = `${atHeader} must be an instant such as 2026-12-24T18:00:00Z, not ${JSON.stringify(text)}.`
    throw new Problem('bad_request', detail, { source: atHeader })
  }
  return new Date(instantOf(text.trim()))
}

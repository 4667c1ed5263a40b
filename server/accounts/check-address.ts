import type { Ctx } from '../kernel/context.ts'
import { Problem } from '../kernel/errors.ts'
import type { Draft } from '../kernel/resource.ts'
import { readSingleton } from '../kernel/singleton.ts'
import { storeSettings } from '../settings/index.ts'
import { lockAccount } from './accounts.ts'

type AddressValues = Readonly<Record<string, unknown>>

const isBlank = (value: unknown) => typeof value !== 'string' || value.trim() === ''

/** Completes an address, and refuses one that lacks a mandatory field or is one too many. */
export async function checkAddress(ctx: Ctx, { scope, values, before }: Draft): Promise<void> {
  const [accountId = ''] = scope
  const { address_mandatory_fields, shopper_address_limit } = await readSingleton(ctx, storeSettings)
  refuseBlank(address_mandatory_fields, values, before?.doc)
  if (values.country) values.country = String(values.country).toUpperCase()
  if (before) return
  await refuseTooMany(ctx, accountId, shopper_address_limit)
  values.relationships = { account: { id: accountId.toLowerCase(), type: 'account' } }
}

/** A setting that changed binds new addresses only: an old one may go on without the field, but not lose it. */
function refuseBlank(mandatory: readonly string[], values: AddressValues, before?: AddressValues): void {
  const missing = mandatory.find((name) => isBlank(values[name]) && !(before && isBlank(before[name])))
  if (!missing) return
  throw new Problem('invalid_field', `The field '${missing}' is required (data.${missing}).`, {
    source: `data.${missing}`,
  })
}

async function refuseTooMany(ctx: Ctx, accountId: string, limit: number): Promise<void> {
  // Two addresses that are added at the same time are counted one after the other.
  await lockAccount(ctx, accountId)
  const [row] = await ctx.store.rows(
    'SELECT count(*) FROM account_addresses WHERE store_id = $1 AND account_id = $2',
    accountId,
  )
  if (Number(row?.[0]) < limit) return
  throw new Problem('unprocessable', `The account has ${limit} addresses; it may not have more.`)
}

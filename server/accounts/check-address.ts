import type { Ctx } from '../kernel/context.ts'
import { Problem } from '../kernel/errors.ts'
import type { Draft } from '../kernel/resource.ts'
import { readSingleton } from '../kernel/singleton.ts'
import { storeSettings } from '../settings/index.ts'

type AddressValues = Readonly<Record<string, unknown>>

/** Who has addresses. */
type Owner = 'account' | 'customer'

/** Holds the owner to the end of the transaction; 404 when there is none. */
type Lock = (ctx: Ctx, id: string) => Promise<void>

const isBlank = (value: unknown) => typeof value !== 'string' || value.trim() === ''

/** Completes an address, and refuses one that lacks a mandatory field or is one too many. */
export const checkAddressOf =
  (owner: Owner, lock: Lock) =>
  async (ctx: Ctx, { scope, values, before }: Draft): Promise<void> => {
    const [ownerId = ''] = scope
    const { address_mandatory_fields, shopper_address_limit } = await readSingleton(ctx, storeSettings)
    refuseBlank(address_mandatory_fields, values, before?.doc)
    if (values.country) values.country = String(values.country).toUpperCase()
    if (before) return
    // Two addresses that are added at the same time are counted one after the other.
    await lock(ctx, ownerId)
    await refuseTooMany(ctx, owner, ownerId, shopper_address_limit)
    values.relationships = { [owner]: { id: ownerId.toLowerCase(), type: owner } }
  }

/** A setting that changed binds new addresses only: an old one may go on without the field, but not lose it. */
function refuseBlank(mandatory: readonly string[], values: AddressValues, before?: AddressValues): void {
  const missing = mandatory.find((name) => isBlank(values[name]) && !(before && isBlank(before[name])))
  if (!missing) return
  throw new Problem('invalid_field', `The field '${missing}' is required (data.${missing}).`, {
    source: `data.${missing}`,
  })
}

async function refuseTooMany(ctx: Ctx, owner: Owner, ownerId: string, limit: number): Promise<void> {
  const [row] = await ctx.store.rows(
    `SELECT count(*) FROM ${owner}_addresses WHERE store_id = $1 AND ${owner}_id = $2`,
    ownerId,
  )
  if (Number(row?.[0]) < limit) return
  throw new Problem('unprocessable', `The ${owner} has ${limit} addresses; it may not have more.`)
}

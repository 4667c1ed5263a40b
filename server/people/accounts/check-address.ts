import type { Limit } from '../../kernel/declare/resource.ts'
import { missingField } from '../../kernel/errors.ts'
import { readSingleton } from '../../kernel/request/singletons.ts'
import type { Draft } from '../../kernel/shape/model.ts'
import type { Work } from '../../kernel/work/context.ts'
import { storeSettings } from '../../store/index.ts'
import { addressFields } from './address-fields.ts'

type AddressValues = Readonly<Record<string, unknown>>

/** The owner of addresses. */
type AddressOwner = 'account' | 'customer'

const isBlank = (value: unknown) => typeof value !== 'string' || value.trim() === ''

/** The maximum number of addresses of an owner. */
export const limitAddresses = (owner: AddressOwner): Limit => ({
  n: async (work: Work) => (await readSingleton(work, storeSettings)).shopper_address_limit,
  detail: (n) => `The ${owner} already has ${n} addresses, which is the maximum.`,
})

/** Completes an address, and refuses it if a mandatory field is blank. */
export const checkAddress =
  (owner: AddressOwner) =>
  async (work: Work, { scope, values, before }: Draft): Promise<void> => {
    const [ownerId = ''] = scope
    const { address_mandatory_fields } = await readSingleton(work, storeSettings)
    const parts: Record<string, unknown> = values
    for (const name of Object.keys(addressFields)) parts[name] ??= undefined
    refuseBlank(address_mandatory_fields, values, before?.doc)
    if (!before) values.relationships = { [owner]: { id: ownerId.toLowerCase(), type: owner } }
  }

/** A changed setting applies to new addresses: an old one may stay without the field, but not lose it. */
function refuseBlank(mandatory: readonly string[], values: AddressValues, before?: AddressValues): void {
  const missing = mandatory.find((name) => isBlank(values[name]) && !(before && isBlank(before[name])))
  if (!missing) return
  throw missingField(`data.${missing}`)
}

import { type Item, valueAt } from '../../api/objects.ts'

export const entryRights = ['create', 'list', 'read', 'update', 'delete'] as const
export type EntryRight = (typeof entryRights)[number]

/** Only shoppers need policies: everybody else has the rights of their own role. */
export const shopperRoles = ['Guest Shopper', 'Registered Shopper'] as const
export type ShopperRole = (typeof shopperRoles)[number]

export type Granted = Readonly<Record<EntryRight, boolean>>

export const roleOf = (policy: Item): string => String(valueAt(policy, 'relationships.role.data.id'))

export const grantedBy = (policy: Item | undefined): Granted =>
  Object.fromEntries(entryRights.map((right) => [right, policy?.[right] === true])) as Granted

/** The body that makes a policy what somebody has ticked. An update has only what they changed. */
export function policyBody(policy: Item | undefined, wanted: Granted, api: string, role: string): unknown {
  if (policy) {
    const before = grantedBy(policy)
    const changed = entryRights.filter((right) => before[right] !== wanted[right])
    return {
      data: {
        type: 'custom_api_role_policy',
        ...Object.fromEntries(changed.map((one) => [one, wanted[one]])),
      },
    }
  }
  return {
    data: {
      type: 'custom_api_role_policy',
      ...wanted,
      relationships: {
        custom_api: { data: { type: 'custom_api', id: api } },
        role: { data: { type: 'built_in_role', id: role } },
      },
    },
  }
}

export const isSame = (one: Granted, other: Granted): boolean =>
  entryRights.every((right) => one[right] === other[right])

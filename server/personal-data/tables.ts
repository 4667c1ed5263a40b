import type { Row } from '../kernel/resource.ts'
import type { feedTypes } from './data-entries.ts'

/** What an object belongs to: enough to say where the object is when neither is there any more. */
export interface Parent {
  readonly id: string | undefined
  readonly type?: string
  readonly parentId?: string | undefined
}

interface Kept {
  /** The type of its objects in the change feed. */
  readonly type: (typeof feedTypes)[keyof typeof feedTypes]
  readonly parentOf?: (row: Row) => Parent
}

interface Membership {
  readonly relationships?: { readonly account: { readonly data: { readonly id: string } } }
}

const user = 'user_authentication_info'
const ofUser = ({ scope: [realm, id] }: Row): Parent => ({ id, type: user, parentId: realm })

/** The tables whose objects hold personal data. */
export const tables: Readonly<Record<string, Kept | undefined>> = {
  customers: { type: 'customer' },
  customer_addresses: { type: 'address', parentOf: ({ scope: [id] }) => ({ id, type: 'customer' }) },
  accounts: { type: 'account' },
  account_addresses: { type: 'address', parentOf: ({ scope: [id] }) => ({ id, type: 'account' }) },
  // Its list may be the member's, whose scope is not the account.
  account_memberships: {
    type: 'account_membership',
    parentOf: ({ doc }) => ({ id: (doc as Membership).relationships?.account.data.id }),
  },
  user_authentication_infos: { type: user, parentOf: ({ scope: [id] }) => ({ id }) },
  user_authentication_oidc_profile_infos: {
    type: 'user_authentication_oidc_profile_info',
    parentOf: ofUser,
  },
  user_authentication_password_profile_infos: {
    type: 'user_authentication_password_profile_info',
    parentOf: ofUser,
  },
}

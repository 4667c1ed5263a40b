import { resource } from '../../kernel/declare/resource.ts'
import { linkTo, readOnly, shown } from '../../kernel/shape/shown.ts'
import { accountEnvelope } from './account-envelope.ts'
import { accounts, ownAccount } from './accounts.ts'
import { addressFields, addressFilter } from './address-fields.ts'
import { checkAddress, limitAddresses } from './check-address.ts'

export const accountAddresses = resource({
  type: 'address',
  noun: ['account-address', 'account-addresses'],
  about:
    'An address of an account. The setting address_mandatory_fields lists the fields that a new address must have.',
  path: '/v2/accounts/:account_id/addresses',
  table: 'account_addresses',
  addedUnder: 'addresses',
  personal: ['account_id'],
  parent: () => accounts,
  fields: {
    ...addressFields,
    relationships: readOnly(shown.group({ account: linkTo('account') }), {
      about: 'The account of the address.',
    }),
  },
  filter: addressFilter,
  area: 'account-addresses',
  visible: ownAccount((account) => `account_id = ${account}`),
  envelope: { ...accountEnvelope, links: 'inside' },
  most: limitAddresses('account'),
  beforeWrite: checkAddress('account'),
})

import { resource } from '../../kernel/declare/resource.ts'
import { linkTo, readOnly, shown } from '../../kernel/shape/shown.ts'
import { accountEnvelope } from '../accounts/account-envelope.ts'
import { addressFields, addressFilter } from '../accounts/address-fields.ts'
import { checkAddress, limitAddresses } from '../accounts/check-address.ts'
import { customers } from './customers.ts'

export const customerAddresses = resource({
  type: 'address',
  noun: ['customer-address', 'customer-addresses'],
  about:
    'An address of a customer. The setting address_mandatory_fields lists the fields that a new address must have.',
  path: '/v2/customers/:customer_id/addresses',
  table: 'customer_addresses',
  addedUnder: 'addresses',
  personal: ['customer_id'],
  parent: () => customers,
  fields: {
    ...addressFields,
    relationships: readOnly(shown.group({ customer: linkTo('customer') }), {
      about: 'The customer of the address.',
    }),
  },
  filter: addressFilter,
  area: 'customer-addresses',
  whole: true,
  envelope: { ...accountEnvelope, links: 'inside' },
  visible: ({ shopper }, bind) => shopper && `customer_id = ${bind(shopper.id)}::uuid`,
  most: limitAddresses('customer'),
  beforeWrite: checkAddress('customer'),
})

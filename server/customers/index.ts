import { module } from '../kernel/module.ts'
import { createCustomerToken } from './create-customer-token.ts'
import { customerAddresses } from './customer-addresses.ts'
import { customers as customerResource } from './customers.ts'

export { customerToken, verifyCustomerToken } from './customer-token.ts'
export { forgetPasswords } from './forget-passwords.ts'
export { customerAddresses, customerResource }

export const customers = module({
  name: 'customers',
  about: 'Customers, their addresses and their sign-in.',
  resources: [customerResource, customerAddresses],
  actions: [createCustomerToken],
})

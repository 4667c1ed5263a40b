import { onUsersUnlinked } from '../identity/index.ts'
import { fill } from '../kernel/declare/hook.ts'
import { module } from '../kernel/module.ts'
import { createCustomerToken } from './create-customer-token.ts'
import { customerAddresses } from './customer-addresses.ts'
import { customers as customerResource } from './customers.ts'
import { forgetPasswords } from './forget-passwords.ts'

export { customerToken, verifyCustomerToken } from './customer-token.ts'
export { customerAddresses, customerResource }

export const customers = module({
  name: 'customers',
  about: 'Customers, their addresses and their sign-in.',
  resources: [customerResource, customerAddresses],
  actions: [createCustomerToken],
  adds: [fill(onUsersUnlinked, forgetPasswords)],
})

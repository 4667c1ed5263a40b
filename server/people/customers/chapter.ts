import { fill } from '../../kernel/declare/hook.ts'
import { module } from '../../kernel/module.ts'
import { onUsersUnlinked } from '../identity/user-hooks.ts'
import { createCustomerToken } from './create-customer-token.ts'
import { customerAddresses } from './customer-addresses.ts'
import { customers as customerResource } from './customers.ts'
import { forgetPasswords } from './forget-passwords.ts'

export const customers = module({
  name: 'customers',
  about: 'Customers, their addresses and their sign-in.',
  resources: [customerResource, customerAddresses],
  actions: [createCustomerToken],
  adds: [fill(onUsersUnlinked, forgetPasswords)],
})

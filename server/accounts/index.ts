import { module } from '../kernel/module.ts'
import { accounts as accountResource } from './accounts.ts'

export const accounts = module({
  name: 'accounts',
  about: 'Accounts, their members and addresses.',
  resources: [accountResource],
})

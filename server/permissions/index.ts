import { module } from '../kernel/module.ts'
import { customApiRolePolicies } from './custom-api-role-policies.ts'
import { getBuiltInRole } from './get-built-in-role.ts'
import { listBuiltInRoles } from './list-built-in-roles.ts'

export { mayUseEntries } from './may-use-entries.ts'

export const permissions = module({
  name: 'permissions',
  about: 'Roles and their rights in custom APIs.',
  resources: [customApiRolePolicies],
  actions: [listBuiltInRoles, getBuiltInRole],
})

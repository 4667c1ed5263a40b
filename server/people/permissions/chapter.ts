import { mayUseEntries } from '../../fields/index.ts'
import { fill } from '../../kernel/declare/hook.ts'
import { module } from '../../kernel/module.ts'
import { customApiRolePolicies } from './custom-api-role-policies.ts'
import { getBuiltInRole } from './get-built-in-role.ts'
import { isGranted } from './is-granted.ts'
import { listBuiltInRoles } from './list-built-in-roles.ts'

export const permissions = module({
  name: 'permissions',
  about: 'Roles and their rights in custom APIs.',
  resources: [customApiRolePolicies],
  actions: [listBuiltInRoles, getBuiltInRole],
  adds: [fill(mayUseEntries, isGranted)],
})

import { action } from '../../kernel/declare/action.ts'
import { json } from '../../kernel/shape/answer.ts'
import { shown } from '../../kernel/shape/shown.ts'
import { builtInRoles, shownRole, showRole } from './built-in-roles.ts'

/** Lists all roles on one page, because there are few. */
export const listBuiltInRoles = action({
  name: 'list-built-in-roles',
  route: 'GET /v2/permissions/built-in-roles',
  about: 'Lists the built-in roles, which custom API role policies refer to.',
  area: 'permissions',
  status: 200,
  shows: { data: shown.list(shownRole) },
  run: async () => json(200, { data: builtInRoles.map(showRole) }),
})

import { action } from '../../kernel/declare/action.ts'
import { notFound } from '../../kernel/errors.ts'
import { json } from '../../kernel/shape/answer.ts'
import { findRole, shownRole, showRole } from './built-in-roles.ts'

export const getBuiltInRole = action({
  name: 'get-built-in-role',
  route: 'GET /v2/permissions/built-in-roles/:id',
  about: 'Reads a built-in role, which custom API role policies refer to.',
  area: 'permissions',
  status: 200,
  shows: { data: shownRole },

  async run(_ctx, { params }) {
    const role = findRole(params.id)
    if (!role) throw notFound('built in role', params.id)
    return json(200, { data: showRole(role) })
  },
})

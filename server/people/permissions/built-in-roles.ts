import { action } from '../../kernel/declare/action.ts'
import { notFound } from '../../kernel/errors.ts'
import { named } from '../../kernel/openapi/named-schemas.ts'
import { json } from '../../kernel/shape/answer.ts'

/** A kind of user. Every store has the same roles, and stores cannot add any. */
interface BuiltInRole {
  readonly id: string
  readonly name: string
  /** Whether an administrator can give the role to a colleague. Shoppers have their role without that. */
  readonly cm_user_assignable: boolean
}

const role = (id: string, name: string, cm_user_assignable: boolean): BuiltInRole => ({
  id,
  name,
  cm_user_assignable,
})

export const builtInRoles: readonly BuiltInRole[] = [
  role('55d8a14f-95fa-425a-a91c-f52d43d3b3db', 'Guest Shopper', false),
  role('6878df19-edc5-457c-ab88-7c7a5291e696', 'Registered Shopper', false),
  role('957ab892-e0f0-40a4-a66a-812bc8c41e76', 'Basic', true),
  role('3fc19480-8d15-49be-994a-f4f50ad0ca3e', 'Support', true),
  role('5e97a5fe-5188-46d1-b674-b27ec1618d26', 'Marketing/Sales', true),
  role('bcd0f60d-e8f5-4732-ba71-9c3914c2ddd5', 'Promotions Manager', true),
  role('fcfda8f0-4afc-48c3-920f-71feb36e9b90', 'IT/Developer', true),
  role('17606170-10fc-4755-bc23-b0270d3d2f86', 'eCommerce Admin', true),
  role('55c3c778-1d54-45b7-9da9-9c525aafdcc1', 'Store Admin', true),
  role('2589f7c0-4c3f-41fa-b6f5-24044b18cb18', 'Org Admin', true),
]

export const findRole = (id: string): BuiltInRole | undefined =>
  builtInRoles.find((role) => role.id === id.toLowerCase())

const roleSchema = named('BuiltInRole', {
  type: 'object',
  required: ['type', 'id', 'name', 'cm_user_assignable', 'links'],
  properties: {
    type: { const: 'built_in_role' },
    id: { type: 'string', format: 'uuid' },
    name: { type: 'string' },
    cm_user_assignable: {
      type: 'boolean',
      description: 'Whether an administrator can assign the role to a colleague.',
    },
    links: { type: 'object', properties: { self: { type: 'string' } } },
  },
})

const showRole = ({ id, name, cm_user_assignable }: BuiltInRole) => ({
  type: 'built_in_role',
  id,
  name,
  cm_user_assignable,
  links: { self: `/v2/permissions/built-in-roles/${id}` },
})

/** Lists all roles on one page, because there are few. */
export const listBuiltInRoles = action({
  name: 'list-built-in-roles',
  route: 'GET /v2/permissions/built-in-roles',
  about: 'Lists the built-in roles, which custom API role policies refer to.',
  area: 'permissions',
  status: 200,
  shows: { data: { type: 'array', items: roleSchema } },
  run: async () => json(200, { data: builtInRoles.map(showRole) }),
})

export const getBuiltInRole = action({
  name: 'get-built-in-role',
  route: 'GET /v2/permissions/built-in-roles/:id',
  about: 'Reads a built-in role, which custom API role policies refer to.',
  area: 'permissions',
  status: 200,
  shows: { data: roleSchema },

  async run(_ctx, { params }) {
    const role = findRole(params.id)
    if (!role) throw notFound('built in role', params.id)
    return json(200, { data: showRole(role) })
  },
})

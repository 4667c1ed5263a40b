import type { Work } from '../kernel/context.ts'
import { Problem } from '../kernel/errors.ts'
import { flag, object } from '../kernel/fields.ts'
import { type Draft, resource, walks } from '../kernel/resource.ts'
import { findRole } from './built-in-roles.ts'

interface Relationships {
  readonly custom_api: { readonly data: { readonly id: string; readonly type: 'custom_api' } }
  readonly role: { readonly data: { readonly id: string; readonly type: 'built_in_role' } }
}

const linkTo = (type: string) => ({
  type: 'object',
  required: ['data'],
  properties: {
    data: {
      type: 'object',
      required: ['id', 'type'],
      properties: { id: { type: 'string', format: 'uuid' }, type: { const: type } },
    },
  },
})

const permission = (about: string) => flag({ required: true, about, example: true })

const fields = {
  create: permission('May create entries.'),
  list: permission('May list entries.'),
  read: permission('May read one entry.'),
  update: permission('May change entries.'),
  delete: permission('May delete entries.'),
  relationships: object<Relationships, { required: true; immutable: true; about: string }>(
    {
      required: ['custom_api', 'role'],
      properties: { custom_api: linkTo('custom_api'), role: linkTo('built_in_role') },
    },
    { required: true, immutable: true, about: 'Which role the policy is for, and which custom API.' },
  ),
}

/** What one role may do with the entries of one custom API. */
export const customApiRolePolicies = resource({
  type: 'custom_api_role_policy',
  noun: ['custom-api-role-policy', 'custom-api-role-policies'],
  about: 'What one role may do with the entries of one custom API.',
  path: '/v2/permissions/custom-api-role-policies',
  table: 'custom_api_role_policies',
  fields,
  filter: {
    ...walks,
    custom_api_id: { ops: ['eq'], kind: 'uuid' },
    role_id: { ops: ['eq'], kind: 'uuid' },
  },
  sort: ['created_at', 'id', 'updated_at'],
  area: 'permissions',
  envelope: { times: 'meta.timestamps', digits: 3, fields: 'top', links: 'inside', href: { after: '' } },
  beforeWrite: nameRoleAndApi,
  constraints: {
    custom_api_role_policies_role_key: {
      code: 'conflict',
      detail: 'custom_api_role_policy with the given custom_api and role already exists',
      source: 'data.relationships',
    },
    custom_api_role_policies_custom_api_id_fkey: {
      code: 'invalid_field',
      detail:
        'data.relationships.custom_api.data.id must be the id of a custom API: there is none with this id.',
      source: 'data.relationships.custom_api.data.id',
    },
  },
})

/** Stores the ids and no more of what was sent. That the custom API exists is the table's to know. */
function nameRoleAndApi(_work: Work, { values, before }: Draft<typeof fields>): void {
  if (before) return
  const { custom_api, role: wanted } = values.relationships
  const role = findRole(wanted.data.id)
  if (!role) {
    const source = 'data.relationships.role.data.id'
    throw new Problem(
      'invalid_field',
      `${source} must be the id of a built-in role: there is none with this id.`,
      {
        source,
      },
    )
  }
  values.relationships = {
    custom_api: { data: { id: custom_api.data.id.toLowerCase(), type: 'custom_api' } },
    role: { data: { id: role.id, type: 'built_in_role' } },
  }
}

import type { EntryRight } from '../../fields/index.ts'
import { actsAsSeller } from '../../kernel/auth/principal.ts'
import { resource } from '../../kernel/declare/resource.ts'
import { Problem } from '../../kernel/errors.ts'
import { choice, flag, group, reference } from '../../kernel/shape/fields.ts'
import { type Draft, indexed, walks } from '../../kernel/shape/model.ts'
import type { Work } from '../../kernel/work/context.ts'
import { builtInRoles, findRole } from './built-in-roles.ts'

const needed = { required: true } as const
const linkTo = (type: string) =>
  group({ data: group({ id: reference(type, needed), type: choice([type], needed) }, needed) }, needed)

const permission = (about: string) => flag({ required: true, about, example: true })

const fields = {
  create: permission('Whether the role can create entries.'),
  list: permission('Whether the role can list entries.'),
  read: permission('Whether the role can read a single entry.'),
  update: permission('Whether the role can update entries, including entries of others.'),
  delete: permission('Whether the role can delete entries, including entries of others.'),
  relationships: group(
    { custom_api: linkTo('custom_api'), role: linkTo('built_in_role') },
    { required: true, immutable: true, about: 'The role and the custom API of the policy.' },
  ),
}

export const customApiRolePolicies = resource({
  type: 'custom_api_role_policy',
  noun: ['custom-api-role-policy', 'custom-api-role-policies'],
  about:
    'What a role can do with the entries of a custom API. It applies to all entries: entries have no owner.',
  path: '/v2/permissions/custom-api-role-policies',
  table: 'custom_api_role_policies',
  fields,
  filter: {
    ...walks,
    custom_api_id: { ops: ['eq'], type: 'uuid' },
    role_id: { ...indexed('eq'), type: 'uuid' },
  },
  sort: ['created_at', 'id', 'updated_at'],
  area: 'permissions',
  envelope: { times: 'meta.timestamps', digits: 3, fields: 'top', links: 'inside', href: { after: '' } },
  beforeWrite: mustHaveRole,
  constraints: {
    custom_api_role_policies_role_key: {
      code: 'conflict',
      detail: 'custom_api_role_policy with the given custom_api and role already exists',
      source: 'data.relationships',
    },
    custom_api_role_policies_custom_api_id_fkey: {
      code: 'invalid_field',
      detail:
        'data.relationships.custom_api.data.id must be the id of a custom API; there is none with this id.',
      source: 'data.relationships.custom_api.data.id',
    },
  },
})

/** A foreign key of the table checks the custom API. */
function mustHaveRole(_work: Work, { values, before }: Draft<typeof fields>): void {
  if (before || findRole(values.relationships.role.data.id)) return
  const source = 'data.relationships.role.data.id'
  throw new Problem(
    'invalid_field',
    `${source} must be the id of a built-in role; there is none with this id.`,
    { source },
  )
}

const idOf = (name: string) => builtInRoles.find((role) => role.name === name)?.id

/** The role of each kind of caller. Administrators need no policy. */
const roleOf: Readonly<Record<string, string | undefined>> = {
  implicit: idOf('Guest Shopper'),
  'account-member': idOf('Registered Shopper'),
  customer: idOf('Registered Shopper'),
}

/**
 * Whether a policy grants the caller's role this right to the entries of the custom API. It applies to all entries,
 * because entries have no owner.
 */
export async function isGranted(work: Work, customApiId: string, right: EntryRight): Promise<boolean> {
  if (actsAsSeller(work.who)) return true
  const [policy] = await work.store.read(
    `SELECT doc->>$4 FROM custom_api_role_policies WHERE store_id = $1 AND custom_api_id = $2 AND role_id = $3`,
    customApiId,
    roleOf[work.who.kind] ?? null,
    right,
  )
  return policy?.[0] === 'true'
}

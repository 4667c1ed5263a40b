import { action } from '../../kernel/declare/action.ts'
import { resource } from '../../kernel/declare/resource.ts'
import { Problem } from '../../kernel/errors.ts'
import { json } from '../../kernel/shape/answer.ts'
import { choice, group, reference } from '../../kernel/shape/fields.ts'
import { type Draft, indexed, walks } from '../../kernel/shape/model.ts'
import { about, orNull, type ShownValue, shown } from '../../kernel/shape/shown.ts'
import type { Store } from '../../kernel/storage/store.ts'
import type { Work } from '../../kernel/work/context.ts'
import { lastStoreAdmin } from '../identity/last-store-admin.ts'
import { merchantRealmId } from '../identity/store-realms.ts'
import { userAuthenticationInfos } from '../identity/user-authentication-infos.ts'
import { colleagueRoles, roleById, roleByKind } from '../permissions/role-kinds.ts'

const needed = { required: true } as const
const linkTo = (type: string, about: string) =>
  group(
    { data: group({ id: reference(type, needed), type: choice([type], needed) }, needed) },
    { required: true, about },
  )

const fields = {
  relationships: group(
    {
      user: linkTo('user_authentication_info', 'The user of the merchant realm. It stays.'),
      role: linkTo('built_in_role', 'The role. A change takes effect within a second.'),
    },
    { required: true, about: 'The colleague and the role.' },
  ),
}

/** What a colleague may do. A user of the merchant realm without a role cannot sign in. */
export const roleAssignments = resource({
  type: 'role_assignment',
  noun: ['role-assignment', 'role-assignments'],
  about:
    'The role of a colleague: a user of the merchant realm has one role, and none without an assignment.',
  path: '/v2/permissions/role-assignments',
  table: 'role_assignments',
  fields,
  filter: {
    ...walks,
    user_id: { ops: ['eq'], type: 'uuid' },
    role_id: { ...indexed('eq'), type: 'uuid' },
  },
  sort: ['created_at', 'id', 'updated_at'],
  area: 'colleagues',
  envelope: { times: 'meta.timestamps', digits: 3, fields: 'top', links: 'inside', href: { after: '' } },
  beforeWrite: checkAssignment,
  constraints: {
    role_assignments_user_key: {
      code: 'conflict',
      detail: 'The user has a role already. Update the assignment of the user.',
      source: 'data.relationships.user',
    },
    role_assignments_user_id_fkey: {
      code: 'invalid_field',
      detail: 'data.relationships.user.data.id must be the id of a user of the merchant realm.',
      source: 'data.relationships.user.data.id',
    },
    ...lastStoreAdmin,
  },
})

async function checkAssignment(work: Work, { values, before }: Draft<typeof fields>): Promise<void> {
  const { user, role } = values.relationships
  if (!roleById(role.data.id)) {
    const source = 'data.relationships.role.data.id'
    const names = colleagueRoles.map(({ name }) => name).join(', ')
    throw new Problem('invalid_field', `${source} must be the id of one of these roles: ${names}.`, {
      source,
    })
  }
  if (before && before.doc.relationships.user.data.id !== user.data.id) {
    const detail =
      'data.relationships.user stays as it is. Delete the assignment, and create one for the other user.'
    throw new Problem('invalid_field', detail, { source: 'data.relationships.user' })
  }
  if (before) return
  const realmId = await merchantRealmId(work)
  if (await work.store.find(userAuthenticationInfos, user.data.id, [realmId])) return
  const source = 'data.relationships.user.data.id'
  throw new Problem(
    'invalid_field',
    `${source} must be the id of a user of the merchant realm, ${realmId}.`,
    {
      source,
    },
  )
}

const ownPermissions = shown.group({
  type: shown.constant('own_permissions'),
  kind: about('The kind of caller: the role of a colleague, or the grant of an application key.', shown.text),
  name: about('The name of the colleague, or of the application key.', orNull(shown.text)),
  email: about('The email address of the colleague.', orNull(shown.text)),
  role: about('The name of the role; null for an application key.', orNull(shown.text)),
  areas: about(
    'The right in each area of the API that the caller may use: `r` reads, `ru` reads and updates, `rw` everything.',
    shown.object,
  ),
})

/** What a caller may do, so that a program shows nothing else. */
export const getOwnPermissions = action({
  name: 'get-own-permissions',
  route: 'GET /v2/permissions/own',
  about:
    'Shows who the caller is, and what they may do: their name, their role, and their right in each area.',
  area: 'own-permissions',
  status: 200,
  shows: { data: ownPermissions },
  async run({ who, store, instance }) {
    const [row] = await store.read(
      `SELECT name, email FROM user_authentication_infos WHERE store_id = $1 AND id = $2
       UNION ALL SELECT doc->>'name', NULL FROM application_keys WHERE store_id = $1 AND id = $2`,
      who.keyId,
    )
    const areas = Object.entries(instance.access).flatMap(([area, rights]) => {
      const right = rights[who.grant] ?? '-'
      return right === '-' ? [] : [[area, right] as const]
    })
    const data: ShownValue<typeof ownPermissions> = {
      type: 'own_permissions',
      kind: who.grant,
      name: row?.[0] ?? null,
      email: row?.[1] ?? null,
      role: roleByKind(who.grant)?.name ?? null,
      areas: Object.fromEntries(areas),
    }
    return json(200, { data })
  },
})

/** The values of an assignment of a role. */
export const assignmentOf = (userId: string, roleId: string) => ({
  relationships: {
    user: { data: { type: 'user_authentication_info', id: userId } },
    role: { data: { type: 'built_in_role', id: roleId } },
  },
})

/** The role of a user; undefined for one who is no colleague. */
export async function roleIdOf(store: Store, userId: string): Promise<string | undefined> {
  const [row] = await store.run(
    'SELECT role_id FROM role_assignments WHERE store_id = $1 AND user_id = $2',
    userId,
  )
  return row?.[0] ?? undefined
}

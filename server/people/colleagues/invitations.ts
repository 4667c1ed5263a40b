import { unauthorized } from '../../kernel/auth/tokens.ts'
import { action } from '../../kernel/declare/action.ts'
import { Problem } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { json } from '../../kernel/shape/answer.ts'
import { choice } from '../../kernel/shape/fields.ts'
import { about, type ShownValue, shown } from '../../kernel/shape/shown.ts'
import { columns, optionalText } from '../../kernel/storage/columns.ts'
import type { Database } from '../../kernel/storage/database.ts'
import { caseless } from '../../kernel/storage/expressions.ts'
import { authorOf, Store } from '../../kernel/storage/store.ts'
import type { Work } from '../../kernel/work/context.ts'
import { add } from '../../kernel/write/by-rules.ts'
import { newDraft } from '../../kernel/write/drafts.ts'
import { merchantRealmId } from '../identity/store-realms.ts'
import { userAuthenticationInfos } from '../identity/user-authentication-infos.ts'
import { type SignIn, tokenEpochOf } from '../identity/user-token-epoch.ts'
import { hashOf, newSecret } from '../oidc/sign-in-request.ts'
import { passwordProfiles } from '../passwords/password-profiles.ts'
import { userAuthenticationPasswordProfileInfos } from '../passwords/user-authentication-password-profile-infos.ts'
import { colleagueRoles, roleById, roleByKind } from '../permissions/role-kinds.ts'
import { colleagueSessions } from './colleague-sessions.ts'
import { roleAssignments, roleIdOf } from './role-assignments.ts'

const validMs = 3 * 24 * 60 * 60 * 1000

/** Makes a link for a user of the merchant realm, which sets their password once. It replaces an earlier one. */
async function invite({ store }: Pick<Work, 'store'>, userId: string, now: Date): Promise<string> {
  const secret = newSecret()
  await store.run(
    `INSERT INTO colleague_invitations (store_id, user_id, secret_hash, expires_at) VALUES ($1, $2, $3, $4)
     ON CONFLICT (store_id, user_id)
     DO UPDATE SET secret_hash = excluded.secret_hash, expires_at = excluded.expires_at`,
    userId,
    hashOf(secret),
    new Date(now.getTime() + validMs),
  )
  return secret
}

/** The page that a link leads to. Browsers keep what is behind the # to themselves. */
const invitationLink = (baseUrl: string, storeId: string, secret: string): string =>
  `${baseUrl}/console/welcome#${storeId}.${secret}`

/** Sets the password of an invited colleague, whose email address is their username, and uses up the link. */
export async function acceptInvitation(
  work: Work,
  realmId: string,
  { invitation, password }: { readonly invitation: string; readonly password: string },
): Promise<SignIn> {
  // People copy the link as it is, with the store before the secret.
  const hash = hashOf(invitation.split('.').at(-1) ?? '')
  const [found] = await work.store.run(
    `SELECT i.user_id FROM colleague_invitations i
     JOIN user_authentication_infos u ON u.store_id = i.store_id AND u.id = i.user_id AND u.realm_id = $4
     WHERE i.store_id = $1 AND i.secret_hash = $2 AND i.expires_at > $3`,
    hash,
    work.clock.now(),
    realmId,
  )
  const userId = found?.[0]
  if (!userId)
    throw unauthorized('The link is not valid, or it has been used. Ask a Store Admin for another one.')
  return work.actingAs(userId).transaction(async (inside) => {
    const user = await inside.store.find(userAuthenticationInfos, userId, [realmId])
    await inside.store.lock(userAuthenticationInfos, userId)
    const used = await inside.store.run(
      'DELETE FROM colleague_invitations WHERE store_id = $1 AND secret_hash = $2 RETURNING 1',
      hash,
    )
    if (!user || !used.length) throw unauthorized('The link has just been used.')
    await inside.store.removeAll(
      userAuthenticationPasswordProfileInfos,
      (bind) => `r.realm_id = ${bind(realmId)} AND r.user_authentication_info_id = ${bind(userId)}`,
    )
    const password_profile_id = await profileOf(inside, realmId)
    const link = { username: user.doc.email, password, password_profile_id }
    await add(inside, userAuthenticationPasswordProfileInfos, [realmId, userId], link)
    return { userId, tokenEpoch: await tokenEpochOf(inside, userId) }
  })
}

/** The password profile of colleagues, if there is one: the oldest of the realm. */
export async function oldestProfile(store: Store, realmId: string): Promise<string | undefined> {
  const [row] = await store.read(
    'SELECT id FROM password_profiles WHERE store_id = $1 AND realm_id = $2 ORDER BY created_at, id LIMIT 1',
    realmId,
  )
  return row?.[0] ?? undefined
}

/** The password profile of colleagues. The first invited colleague makes it. */
async function profileOf(work: Work, realmId: string): Promise<string> {
  await work.store.advisoryLock(`password profile of ${realmId}`)
  return (
    (await oldestProfile(work.store, realmId)) ??
    (await add(work, passwordProfiles, [realmId], { name: 'Colleagues', username_format: 'email' })).id
  )
}

const assignmentOf = (userId: string, roleId: string) => ({
  relationships: {
    user: { data: { type: 'user_authentication_info', id: userId } },
    role: { data: { type: 'built_in_role', id: roleId } },
  },
})

/** The user of the realm with this email address, if there is one. Of several, the oldest. */
async function findByEmail(store: Store, realmId: string, email: string): Promise<string | undefined> {
  const [row] = await store.run(
    `SELECT id FROM user_authentication_infos WHERE store_id = $1 AND realm_id = $2
     AND ${caseless('email')} = ${caseless('$3::text')} ORDER BY created_at, id LIMIT 1`,
    realmId,
    email,
  )
  return row?.[0] ?? undefined
}

const invitationShown = shown.group({
  type: shown.constant('colleague_invitation'),
  user_id: shown.uuid,
  role: about('The name of the role.', shown.text),
  link: about(
    'The link that sets the password once, within three days. Only this response has it.',
    shown.text,
  ),
})

const { name, email } = userAuthenticationInfos.fields

/** Invites a colleague. Only the response shows the link: the server stores a hash. */
export const inviteColleague = action({
  name: 'invite-colleague',
  route: 'POST /v2/colleague-invitations',
  about:
    'Invites a colleague: creates the user of the merchant realm, if there is none with the email address, gives them the role, and makes a link that sets their password once. Only this response has the link. For a colleague who has a role, it makes a new link.',
  area: 'colleagues',
  status: 201,
  shows: { data: invitationShown },
  body: {
    type: 'colleague_invitation',
    fields: {
      name,
      email,
      role: choice(
        colleagueRoles.map(({ kind }) => kind),
        { required: true, about: 'The role of a new colleague.' },
      ),
    },
  },
  async run(ctx, { body }) {
    const realmId = await merchantRealmId(ctx)
    await ctx.store.advisoryLock(`invitations of ${realmId}`)
    const userId =
      (await findByEmail(ctx.store, realmId, body.email)) ??
      (await add(ctx, userAuthenticationInfos, [realmId], { name: body.name, email: body.email })).id
    const wanted = roleByKind(body.role)?.id ?? ''
    const given = await roleIdOf(ctx.store, userId)
    if (given === undefined) await add(ctx, roleAssignments, [], assignmentOf(userId, wanted))
    else if (given !== wanted) throw hasAnotherRole(given)
    const secret = await invite(ctx, userId, ctx.clock.now())
    const data: ShownValue<typeof invitationShown> = {
      type: 'colleague_invitation',
      user_id: userId,
      role: roleByKind(body.role)?.name ?? '',
      link: invitationLink(ctx.baseUrl, ctx.store.id, secret),
    }
    return json(201, { data })
  },
})

const hasAnotherRole = (id: string) =>
  new Problem(
    'conflict',
    `The colleague has the role ${roleById(id)?.name}. Send that role, or change their role assignment first.`,
    { source: 'data.role' },
  )

/** What an operator sees of a colleague. */
const colleagueColumns = columns({
  email: 'u.email',
  name: 'u.name',
  roleId: 'r.role_id',
  signedInAt: [
    '(SELECT max(c.created_at) FROM colleague_sessions c WHERE c.store_id = $1 AND c.user_id = u.id)',
    optionalText,
  ],
})

/**
 * The colleagues of one store for an operator who has its database but no token. The change feed has these writes with
 * the author `operator`.
 */
export class OperatorColleagues {
  /** The roles that `add` takes. */
  static readonly roles: readonly string[] = colleagueRoles.map(({ kind }) => kind)

  readonly #store: Store
  readonly #now: () => Date

  constructor(database: Database, storeId: string, now: () => Date) {
    this.#store = new Store(storeId, database, now, authorOf('operator', ''))
    this.#now = now
  }

  async list() {
    const rows = await this.#store.run(
      `SELECT ${colleagueColumns.sql} FROM role_assignments r
       JOIN user_authentication_infos u ON u.store_id = r.store_id AND u.id = r.user_id
       WHERE r.store_id = $1 ORDER BY u.email, u.id`,
    )
    return rows
      .map(colleagueColumns.read)
      .map(({ roleId, ...one }) => ({ ...one, role: roleById(roleId)?.kind ?? '' }))
  }

  /** Gives a user of the merchant realm a role, and makes the user if there is none. Returns a link. */
  async add(email: string, kind: string, baseUrl: string): Promise<string> {
    const roleId = roleByKind(kind)?.id ?? ''
    const secret = await this.#store.transaction(async (store) => {
      const realmId = await this.#realmId()
      await store.advisoryLock(`invitations of ${realmId}`)
      let userId = await findByEmail(store, realmId, email)
      if (userId === undefined) {
        userId = newId()
        const draft = newDraft(userAuthenticationInfos, [realmId], { name: email, email }, userId)
        await store.insert(userAuthenticationInfos, draft, true)
      }
      if ((await roleIdOf(store, userId)) === undefined) {
        const draft = newDraft(roleAssignments, [], assignmentOf(userId, roleId), newId())
        await store.insert(roleAssignments, draft, true)
      } else {
        await store.changeAll(roleAssignments, {
          where: (bind) => `r.user_id = ${bind(userId)}::uuid AND r.role_id <> ${bind(roleId)}::uuid`,
          doc: (bind) =>
            `jsonb_set(r.doc::jsonb, '{relationships,role,data,id}', to_jsonb(${bind(roleId)}::text))::json`,
        })
      }
      return invite({ store }, userId, this.#now())
    })
    return invitationLink(baseUrl, this.#store.id, secret)
  }

  /** Makes another link for a colleague; undefined if there is none with this address. */
  async link(email: string, baseUrl: string): Promise<string | undefined> {
    const userId = await this.#find(email)
    if (userId === undefined) return undefined
    return invitationLink(baseUrl, this.#store.id, await invite({ store: this.#store }, userId, this.#now()))
  }

  /** Ends the sign-ins of a colleague, and returns how many; undefined if there is no such colleague. */
  async end(email: string): Promise<number | undefined> {
    const userId = await this.#find(email)
    if (userId === undefined) return undefined
    return (await this.#store.removeAll(colleagueSessions, (bind) => `r.user_id = ${bind(userId)}::uuid`))
      .length
  }

  async #find(email: string): Promise<string | undefined> {
    const userId = await findByEmail(this.#store, await this.#realmId(), email)
    return userId !== undefined && (await roleIdOf(this.#store, userId)) !== undefined ? userId : undefined
  }

  async #realmId(): Promise<string> {
    const [row] = await this.#store.run(
      `SELECT id FROM authentication_realms WHERE store_id = $1 AND origin = 'merchant-realm-mappings'`,
    )
    return row?.[0] as string
  }
}

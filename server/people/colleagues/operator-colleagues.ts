import { newId } from '../../kernel/ids.ts'
import { columns, optionalText } from '../../kernel/storage/columns.ts'
import type { Database } from '../../kernel/storage/database.ts'
import { authorOf, Store } from '../../kernel/storage/store.ts'
import { newDraft } from '../../kernel/write/drafts.ts'
import { userAuthenticationInfos } from '../identity/user-authentication-infos.ts'
import { colleagueRoles, roleById, roleByKind } from '../permissions/role-kinds.ts'
import { colleagueSessions } from './colleague-sessions.ts'
import { findByEmail, invitationLink, invite } from './invitations.ts'
import { assignmentOf, roleAssignments, roleIdOf } from './role-assignments.ts'

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
      return (await invite(store, { userId, email }, this.#now())).secret
    })
    return invitationLink(baseUrl, this.#store.id, secret)
  }

  /** Makes another link for a colleague; undefined if there is none with this address. */
  async link(email: string, baseUrl: string): Promise<string | undefined> {
    const userId = await this.#find(email)
    if (userId === undefined) return undefined
    const { secret } = await this.#store.transaction((store) => invite(store, { userId, email }, this.#now()))
    return invitationLink(baseUrl, this.#store.id, secret)
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

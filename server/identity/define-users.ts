import { resource } from '../kernel/declare/resource.ts'
import type { Row } from '../kernel/shape/model.ts'
import type { Work } from '../kernel/work/context.ts'
import { announceEmailChange } from './announce-email-change.ts'
import { mustProveIdentity } from './current-password.ts'
import { mustManageOneself } from './own-user.ts'
import { userAuthenticationInfos } from './user-authentication-infos.ts'

/** The resource of users. */
export type Users = typeof userAuthenticationInfos
type User = Row<Users['fields']>

/**
 * Handles users who are no longer linked to their provider, in the transaction that unlinks them. `isSomeoneElse` says
 * that the user turned out to be another person than the one who claimed the address.
 */
export type UnlinkHandler = (work: Work, userIds: readonly string[], isSomeoneElse?: boolean) => Promise<void>

/** What other modules do when users change, in the same transaction. */
interface UserHooks {
  readonly onCreated: (work: Work, user: User) => Promise<void>
  readonly onUnlinked: UnlinkHandler
  /** Checks a password of the user. If it is wrong, returns undefined and counts a guess. */
  readonly signIn: (work: Work, user: User, password: string) => Promise<object | undefined>
}

/** Defines the resource of users, with the hooks of other modules. */
export const defineUsers = ({ onCreated, onUnlinked, signIn }: UserHooks): Users =>
  resource({
    ...userAuthenticationInfos,
    beforeWrite: async (work, { values, before }) => {
      await mustManageOneself(work)
      if (!before || values.email === before.doc.email) return
      const isProven = await mustProveIdentity(work, {
        current: values.current_password,
        replacesPassword: false,
        signIn: (password) => signIn(work, before, password),
      })
      values.email_claimed = work.who.shopper && true
      values.email_unproven = work.who.shopper && !isProven ? true : undefined
    },
    afterWrite: async (work, user, before) => {
      if (!before) await onCreated(work, user)
      else if (user.doc.email !== before.doc.email)
        await announceEmailChange(work, userAuthenticationInfos, user, before)
    },
    afterDelete: (work, user) => onUnlinked(work, [user.id]),
  })

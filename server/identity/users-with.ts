import { resource } from '../kernel/declare/resource.ts'
import type { Row } from '../kernel/shape/model.ts'
import type { Work } from '../kernel/work/context.ts'
import { mustBeThemself } from './current-password.ts'
import { mustManageOneself } from './own-user.ts'
import { tellOfEmailChange } from './tell-of-email-change.ts'
import { userAuthenticationInfos } from './user-authentication-infos.ts'

/** Users, as their realm has them. */
export type Users = typeof userAuthenticationInfos
type User = Row<Users['fields']>

/**
 * What another module does about users whose provider no longer speaks for them, in the transaction that says so; or
 * who turn out to be someone else than whoever claimed to be them.
 */
export type WhenUnlinked = (work: Work, userIds: readonly string[], isSomeoneElse?: boolean) => Promise<void>

/** What other modules know of users, and do about them in the transaction that changes them. */
interface Neighbours {
  readonly whenCreated: (work: Work, user: User) => Promise<void>
  readonly whenUnlinked: WhenUnlinked
  /** Whether this is a password of the user; undefined, and counted as a guess, when it is not. */
  readonly signIn: (work: Work, user: User, password: string) => Promise<object | undefined>
}

/** Users, with what other modules do about one who is new, changed or gone. */
export const usersWith = ({ whenCreated, whenUnlinked, signIn }: Neighbours): Users =>
  resource({
    ...userAuthenticationInfos,
    beforeWrite: async (work, { values, before }) => {
      await mustManageOneself(work)
      if (!before || values.email === before.doc.email) return
      const sure = await mustBeThemself(work, {
        current: values.current_password,
        replaced: false,
        signIn: (password) => signIn(work, before, password),
      })
      values.email_claimed = work.who.shopper && true
      values.email_unproven = work.who.shopper && !sure ? true : undefined
    },
    afterWrite: async (work, user, before) => {
      if (!before) await whenCreated(work, user)
      else if (user.doc.email !== before.doc.email)
        await tellOfEmailChange(work, userAuthenticationInfos, user, before)
    },
    afterDelete: (work, user) => whenUnlinked(work, [user.id]),
  })

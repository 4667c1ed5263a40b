import { hook } from '../../kernel/declare/hook.ts'
import type { Row } from '../../kernel/shape/model.ts'
import type { Work } from '../../kernel/work/context.ts'

/** What other modules learn of a new user. */
export interface NewUser extends Pick<Row, 'id' | 'scope'> {
  readonly doc: { readonly name: string }
}

/** Handles a new user, in the transaction that creates it. */
export const onUserCreated = hook<(work: Work, user: NewUser) => Promise<void>>('onUserCreated')

/** A user who can sign in once they have proven that an email address is theirs. */
export interface AwaitedUser {
  readonly id: string
  /** Whether they are still invited. */
  readonly isInvited: boolean
}

/** Finds the user whom a realm awaits at this email address, and uses up their invitation. */
export const findAwaitedUser =
  hook<(work: Work, realmId: string, email: string) => Promise<AwaitedUser | undefined>>('findAwaitedUser')

/**
 * Handles users who are no longer linked to their provider, in the transaction that unlinks them. `isSomeoneElse` says
 * that the user turned out to be another person than the one who claimed the address.
 */
export const onUsersUnlinked =
  hook<(work: Work, userIds: readonly string[], isSomeoneElse?: boolean) => Promise<void>>('onUsersUnlinked')

/** Checks a password of the user. If it is wrong, returns undefined and counts a guess. */
export const checkPasswordOf =
  hook<(work: Work, user: Pick<Row, 'id' | 'scope'>, password: string) => Promise<object | undefined>>(
    'checkPasswordOf',
  )

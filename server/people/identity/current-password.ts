import { Problem } from '../../kernel/errors.ts'
import { text } from '../../kernel/shape/fields.ts'
import type { Work } from '../../kernel/work/context.ts'

/** The field that goes with new credentials: a new password, email address or username. */
export const currentPassword = text({
  stored: false,
  max: 1024,
  about:
    'The current password. If sent, it must be correct. If the server has `SUTLER_STRICT_PASSWORDS`, shoppers must send it to ' +
    'replace their password. They must also send it with a first password, an email address or a username, unless they ' +
    'signed in within the last ten minutes. A create ignores it.',
})

/** For this long after a sign-in, its tokens alone prove that the person is present. */
const freshForS = 10 * 60

/** The proof that the caller is the person, and not someone who found their token. */
interface Proof {
  /** The current password that the caller sent. */
  readonly current: string | undefined
  /** The password itself changes, so a recent sign-in is not enough. */
  readonly replacesPassword: boolean
  /** Checks the password. It counts a wrong one as a guess, so that there is no second way to guess. */
  readonly signIn: (password: string) => Promise<object | undefined>
}

/**
 * Refuses (422) a change of credentials by a caller who may only have found a token. An administrator, who sends no
 * shopper token, needs no proof. Returns whether the current password was sent.
 */
export async function mustProveIdentity(
  work: Work,
  { current, replacesPassword, signIn }: Proof,
): Promise<boolean> {
  const source = 'data.current_password'
  if (current !== undefined) {
    if (await signIn(current)) return true
    const whose = replacesPassword
      ? 'the current password, which data.password replaces'
      : 'the current password'
    throw new Problem('unprocessable', `${source} must be ${whose}.`, { source })
  }
  if (!work.who.shopper || !work.instance.strictPasswords) return false
  if (!replacesPassword && hasJustSignedIn(work)) return false
  const detail = replacesPassword
    ? `${source} is missing; send the current password, which data.password replaces.`
    : `${source} is missing; send the current password, or sign in again and repeat the request within ten minutes.`
  throw new Problem('unprocessable', detail, { source })
}

function hasJustSignedIn({ who, clock }: Work): boolean {
  const signedInS = Number(who.shopper?.session.signed_in_s ?? 0)
  return clock.now().getTime() < (signedInS + freshForS) * 1000
}

import { Problem } from '../kernel/errors.ts'
import { text } from '../kernel/shape/fields.ts'
import type { Work } from '../kernel/work/context.ts'

/** The field that goes beside what leads into an account: a new password, email address or username. */
export const currentPassword = text({
  stored: false,
  max: 1024,
  about:
    'Beside a new password, email address or username: the current password. If it is sent it must be right. Where the ' +
    'server is set so (`SUTLER_STRICT_PASSWORDS`), shoppers must send it to replace their password; for the others, and ' +
    'for a first password, a sign-in of the last ten minutes will do. In a create it means nothing.',
})

/** For so long after a sign-in its tokens show, by themselves, that the person is there. */
const freshForS = 10 * 60

/** What shows that whoever asks for a change is the person, and not somebody who found their token. */
interface Proof {
  /** What was sent as their current password. */
  readonly current: string | undefined
  /** It is the password that changes: no sign-in stands in for it. */
  readonly replaced: boolean
  /** Finds who has the password, and counts a wrong one as a guess, so that there is no second way to guess. */
  readonly signIn: (password: string) => Promise<object | undefined>
}

/**
 * Refuses (422) to change what leads into an account for whoever may only have found a token. An administrator, who has
 * brought no shopper's token, need not prove anything. Whether the current password was given.
 */
export async function mustBeThemself(work: Work, { current, replaced, signIn }: Proof): Promise<boolean> {
  const source = 'data.current_password'
  if (current !== undefined) {
    if (await signIn(current)) return true
    const whose = replaced ? 'the password that data.password is to replace' : 'the current password'
    throw new Problem('unprocessable', `${source} must be ${whose}.`, { source })
  }
  if (!work.who.shopper || !work.instance.strictPasswords) return false
  if (!replaced && hasJustSignedIn(work)) return false
  const detail = replaced
    ? `${source} must be the password that data.password is to replace.`
    : `Send the current password as ${source}, or sign in again and send this within ten minutes.`
  throw new Problem('unprocessable', detail, { source })
}

function hasJustSignedIn({ who, clock }: Work): boolean {
  const signedInS = Number(who.shopper?.session.signed_in_s ?? 0)
  return clock.now().getTime() < (signedInS + freshForS) * 1000
}

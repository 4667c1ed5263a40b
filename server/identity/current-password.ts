import { Problem } from '../kernel/errors.ts'
import { text } from '../kernel/shape/fields.ts'
import type { Work } from '../kernel/work/context.ts'

/** The field that goes beside what leads into an account: a new password, email address or username. */
export const currentPassword = text({
  stored: false,
  max: 1024,
  about:
    'The current password, to be sent with a new password, email address or username. If sent, it must be correct. If the ' +
    'server has `SUTLER_STRICT_PASSWORDS`, shoppers must send it to replace their password. For an email address, a username ' +
    'or a first password, a sign-in within the last ten minutes is enough. A create ignores it.',
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
    const whose = replaced ? 'the current password, which data.password replaces' : 'the current password'
    throw new Problem('unprocessable', `${source} must be ${whose}.`, { source })
  }
  if (!work.who.shopper || !work.instance.strictPasswords) return false
  if (!replaced && hasJustSignedIn(work)) return false
  const detail = replaced
    ? `${source} is missing; send the current password, which data.password replaces.`
    : `${source} is missing; send the current password, or sign in again and repeat the request within ten minutes.`
  throw new Problem('unprocessable', detail, { source })
}

function hasJustSignedIn({ who, clock }: Work): boolean {
  const signedInS = Number(who.shopper?.session.signed_in_s ?? 0)
  return clock.now().getTime() < (signedInS + freshForS) * 1000
}

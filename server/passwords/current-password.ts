import type { Work } from '../kernel/context.ts'
import { Problem } from '../kernel/errors.ts'
import { text } from '../kernel/fields.ts'

/** The field that goes beside a new password. */
export const currentPassword = text({
  stored: false,
  max: 1024,
  about:
    'Beside a new password, the one that it replaces. If it is sent it must be right; shoppers who change their own ' +
    'password must send it where the server is set so (`SUTLER_STRICT_PASSWORDS`). In a create it means nothing.',
})

/**
 * Refuses (422) a new password from whoever does not know the current one. An administrator, who has brought no
 * shopper's token, need not know it. `signIn` finds who has the password, and counts a wrong one as a guess, so that
 * there is no second way to guess.
 */
export async function mustKnowPassword(
  { who, instance }: Work,
  current: string | undefined,
  signIn: (password: string) => Promise<object | undefined>,
): Promise<void> {
  const needed = who.shopper && instance.strictPasswords
  if (current === undefined ? !needed : await signIn(current)) return
  const detail = 'data.current_password must be the password that data.password is to replace.'
  throw new Problem('unprocessable', detail, { source: 'data.current_password' })
}

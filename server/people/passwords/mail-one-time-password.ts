import { open } from '../../kernel/auth/seal.ts'
import type { Job } from '../../kernel/work/job.ts'

/** The password to mail. The queue contains neither the password nor the address in the clear. */
interface Letter {
  readonly linkId: string
  readonly sealed: string
  readonly expiresAtMs: number
}

/** Mails the requested password to the user. If it runs twice, it sends the same password twice. */
export const mailOneTimePassword: Job<Letter> = {
  name: 'passwords:mail-one-time-password',
  attemptsMax: 4,
  run: async ({ store, clock, instance: { mail, sealKeys } }, { linkId, sealed, expiresAtMs }) => {
    // The password has expired, or mail has been switched off.
    if (!mail || clock.now().getTime() >= expiresAtMs) return
    const [row] = await store.run(
      `SELECT o.email, s.name FROM one_time_passwords o JOIN stores s ON s.id = o.store_id
       WHERE o.store_id = $1 AND o.password_link_id = $2`,
      linkId,
    )
    // The password was used, or the credentials of the user have changed.
    if (!row) return
    const [email, shop] = row as [string, string]
    const lines = [
      `Your code for ${shop} is: ${open(sealKeys, sealed)}`,
      '',
      'It is valid for one sign-in within ten minutes. If you did not request it, you can ignore this message.',
    ]
    await mail.send(email, `Your code for ${shop}`, lines.join('\n'))
  },
}

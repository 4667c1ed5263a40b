import { open } from '../kernel/auth/seal.ts'
import type { Job } from '../kernel/work/job.ts'

/** Which password, and whose. The queue holds neither in the clear. */
export interface Letter {
  readonly linkId: string
  readonly sealed: string
  readonly expiresAtMs: number
}

/** Mails the user the password that someone asked for. Run twice, it sends the same password twice. */
export const mailOneTimePassword: Job<Letter> = {
  name: 'passwords:mail-one-time-password',
  attemptsMax: 4,
  run: async ({ store, clock, instance: { mail, sealKeys } }, { linkId, sealed, expiresAtMs }) => {
    // Too late to be of use, or switched off meanwhile.
    if (!mail || clock.now().getTime() >= expiresAtMs) return
    const [row] = await store.rows(
      `SELECT o.email, s.name FROM one_time_passwords o JOIN stores s ON s.id = o.store_id
       WHERE o.store_id = $1 AND o.password_link_id = $2`,
      linkId,
    )
    // Used, or replaced by none: the user has changed what they sign in with.
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

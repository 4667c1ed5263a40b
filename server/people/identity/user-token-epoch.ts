import type { Work } from '../../kernel/work/context.ts'

/** A user who has signed in. Tokens contain the epoch, and are valid until the epoch changes. */
export interface SignIn {
  readonly userId: string
  readonly tokenEpoch: number
  /** When they signed in, in seconds. By default now. */
  readonly signedInS?: number
}

/** How often the user's tokens were revoked. */
export async function tokenEpochOf(work: Work, userId: string): Promise<number> {
  const [row] = await work.store.run(
    'SELECT epoch FROM user_token_epochs WHERE store_id = $1 AND user_id = $2',
    userId,
  )
  return Number(row?.[0] ?? 0)
}

/**
 * Signs users out because their credentials have changed, in the transaction of that change. Sign-ins that have begun
 * with the old credentials fail, and a trigger deletes their one-time passwords (`forget_one_time_passwords`).
 */
export async function revokeTokensOf(work: Work, userIds: readonly string[]): Promise<void> {
  // In the order of the ids, so that concurrent revocations do not deadlock.
  await work.store.run(
    `INSERT INTO user_token_epochs AS e (store_id, user_id, epoch)
     SELECT $1, user_id, 1 FROM unnest($2::uuid[]) AS user_id GROUP BY user_id ORDER BY user_id
     ON CONFLICT (store_id, user_id) DO UPDATE SET epoch = e.epoch + 1`,
    userIds,
  )
}

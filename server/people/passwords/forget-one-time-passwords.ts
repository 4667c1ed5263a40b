import type { Chore } from '../../kernel/work/job.ts'

/** Deletes expired one-time passwords. */
export const forgetOneTimePasswords: Chore = {
  name: 'passwords:forget-one-time-passwords',
  attemptsMax: 1,
  every: '*/10 * * * *',
  run: async ({ database, clock }) => {
    await database.run({
      text: `DELETE FROM one_time_passwords WHERE (store_id, password_link_id) IN (
               SELECT store_id, password_link_id FROM one_time_passwords WHERE expires_at <= $1)`,
      values: [clock.now()],
    })
  },
}

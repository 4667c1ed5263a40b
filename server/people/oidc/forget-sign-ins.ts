import type { Chore } from '../../kernel/work/job.ts'

/** Deletes expired requests and codes. Requests stay for half an hour longer, so that the storefront gets an error. */
export const forgetSignIns: Chore = {
  name: 'oidc:forget-sign-ins',
  attemptsMax: 1,
  every: '*/10 * * * *',
  run: async ({ database }) => {
    for (const text of [
      `DELETE FROM sign_in_requests WHERE expires_at < now() - interval '30 minutes'`,
      'DELETE FROM sign_in_codes WHERE expires_at < now()',
    ]) {
      await database.run({ text, values: [] })
    }
  },
}

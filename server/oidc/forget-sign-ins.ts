import type { Chore } from '../kernel/work/job.ts'

/** Removes what became of no sign-in. Expired requests stay a while: the storefront can still be told. */
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

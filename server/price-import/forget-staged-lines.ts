import type { Chore } from '../kernel/work/jobs.ts'

const keptMs = 30 * 86_400_000

/** Deletes lines that no job has gone through to their end: it was cancelled, or was never asked for. */
export const forgetStagedLines: Chore = {
  name: 'price-import:forget-staged-lines',
  attemptsMax: 3,
  every: '29 4 * * *',
  run: async ({ database, clock }) => {
    await database.run({
      text: 'DELETE FROM price_import_lines WHERE received_at < $1',
      values: [new Date(clock.now().getTime() - keptMs)],
      long: true,
    })
  },
}

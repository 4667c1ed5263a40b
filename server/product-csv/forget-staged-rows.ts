import type { Chore } from '../kernel/work/jobs.ts'

const keptMs = 30 * 86_400_000

/** Deletes rows that no job has gone through: it was cancelled, or never asked for. */
export const forgetStagedRows: Chore = {
  name: 'product-csv:forget-staged-rows',
  attemptsMax: 3,
  every: '23 4 * * *',
  run: async ({ database, clock }) => {
    await database.run({
      text: 'DELETE FROM product_import_rows WHERE received_at < $1',
      values: [new Date(clock.now().getTime() - keptMs)],
      long: true,
    })
  },
}

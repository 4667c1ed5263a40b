import type { Connection } from '../storage/database.ts'
import type { Chore } from '../work/job.ts'

/** Makes the partitions of the feed weeks ahead: on several nodes, those that give positions cannot make one. */
export const keepPartitions = async (database: Connection): Promise<void> =>
  void (await database.run({ text: 'CALL keep_partitions()', values: [] }))

export const keepPartitionsAhead: Chore = {
  name: 'kernel:keep-partitions',
  attemptsMax: 3,
  every: '7 2 * * *',
  run: ({ database }) => keepPartitions(database),
}

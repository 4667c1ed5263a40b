import type { Database } from '../server/kernel/storage/database.ts'
import type { CheckResult } from '../tools/checking/check.ts'
import type { Progress } from '../tools/progress.ts'
import { type Command, command } from './frame/command.ts'

/** A check of the whole database, beside a server or without. */
function check(
  name: string,
  about: string,
  example: string,
  run: (database: Database, progress: Progress) => Promise<CheckResult>,
): Command {
  return command({
    name: `check ${name}`,
    group: 'Truth',
    about,
    details: 'It reads one moment of the database, also while the server runs, and changes nothing.',
    examples: [[`sutler check ${name}`, example]],
    leaves: 'nothing has changed.',
    async run({ progress }) {
      const { withDatabase } = await import('./frame/with-database.ts')
      const { compared, differences, count } = await withDatabase((database) => run(database, progress))
      const more = count - differences.length
      const verdict = count === 0 ? 'nothing differs' : `${count} differ`
      return {
        text: [
          ...differences,
          ...(more > 0 ? [`and ${more} more`] : []),
          `${compared} compared: ${verdict}.`,
        ].join('\n'),
        data: { check: name, compared, differences: count, shown: differences },
        hasFailed: count > 0,
      }
    },
  })
}

export const checkCommands: readonly Command[] = [
  check('totals', 'Compares the total of each list with its rows.', 'after a restore', async (...parts) => {
    const { checkTotals } = await import('../tools/checking/check-totals.ts')
    return checkTotals(...parts)
  }),
  check('feed', 'Compares the change feed with the objects.', 'when a follower differs', async (...parts) => {
    const { checkFeed } = await import('../tools/checking/check-feed.ts')
    return checkFeed(...parts)
  }),
  check(
    'money',
    'Compares orders with their transactions, and the sums of metrics with the orders.',
    'before the books are closed',
    async (...parts) => {
      const { checkMoney } = await import('../tools/checking/check-money.ts')
      return checkMoney(...parts)
    },
  ),
  check(
    'files',
    'Compares uploaded files with their contents.',
    'after a disk or a bucket was moved',
    async (...parts) => {
      const { checkFiles } = await import('../tools/checking/check-files.ts')
      const { openBlobs } = await import('../tools/open-database.ts')
      const { readConfig } = await import('../server/config.ts')
      const [database, progress] = parts
      const blobs = await openBlobs(readConfig())
      try {
        return await checkFiles(database, blobs, progress)
      } finally {
        blobs.close()
      }
    },
  ),
]

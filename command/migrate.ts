import { command, flag } from './frame/command.ts'
import { WrongCall } from './frame/wrong-call.ts'

export const migrateCommand = command({
  name: 'migrate',
  group: 'Schema',
  about: 'Brings the schema of the database up to date, in three steps.',
  details:
    'Expand: adds what the new version needs, as a start does; the previous version goes on beside it. Backfill: fills\n' +
    'what was added, in portions. Contract: removes what only older versions use, once none of them runs.\n' +
    'Servers do the same by themselves, and wait a day before they contract. Several processes may do it at once.',
  options: {
    plan: flag('Only say what each migration would do: locks, rows, time, and what requests see meanwhile.'),
    expand: flag(
      'Only add what the new version needs, as a job before an upgrade does; servers do the rest.',
    ),
    pause: flag('Pause the backfills, here and in servers.'),
    resume: flag('Resume paused backfills. They go on where they stopped.'),
  },
  examples: [
    ['sutler migrate --plan', 'before an upgrade, with the new version and the data of today'],
    ['DATABASE_URL=postgres://me@db/shop sutler migrate', 'before the servers of a new version start'],
    ['sutler migrate --pause', 'when the shop needs the database for itself'],
  ],
  leaves: 'what has been applied stays; the step that was running is undone. Run it again.',
  async run({ options, signal, progress }) {
    const { plan, expand, pause, resume } = options
    if ([plan, expand, pause, resume].filter(Boolean).length > 1) {
      throw new WrongCall('--plan, --expand, --pause and --resume exclude each other')
    }
    const { readConfig } = await import('../server/config.ts')
    const { openDatabase } = await import('../tools/open-database.ts')
    const upgrade = await import('../tools/upgrade.ts')
    const { database, close } = await openDatabase(readConfig(), true)
    // A migration in progress ends with its session.
    signal.addEventListener('abort', () => void close(), { once: true })
    try {
      if (plan) return await upgrade.describePlan(database)
      if (expand) return await upgrade.expand(database)
      if (pause || resume) return await upgrade.pause(database, pause)
      return await upgrade.upgrade(database, progress, signal)
    } finally {
      await close()
    }
  },
})

import { command } from './frame/command.ts'

export const migrateCommand = command({
  name: 'migrate',
  group: 'Schema',
  about: 'Brings the schema of the database up to date, as a start does.',
  details: 'Each migration is one transaction, and runs once. Several processes may do it at the same time.',
  examples: [
    ['DATABASE_URL=postgres://me@db/shop sutler migrate', 'before the servers of a new version start'],
  ],
  leaves: 'what has been applied stays; the migration that was running is undone. Run it again.',
  async run({ signal }) {
    const { readConfig } = await import('../server/config.ts')
    const { openDatabase } = await import('../tools/open-database.ts')
    const { migrateAll } = await import('../server/prepare-database.ts')
    const { appliedMigrations } = await import('../server/kernel/upgrades/migrate.ts')
    const opened = await openDatabase(readConfig(), true)
    // A migration in progress ends with its session.
    signal.addEventListener('abort', () => void opened.close(), { once: true })
    try {
      const before = new Set(await appliedMigrations(opened.database))
      await migrateAll(opened.database)
      const after = await appliedMigrations(opened.database)
      const applied = after.filter((name) => !before.has(name))
      return {
        text:
          applied.length > 0 ? `Applied ${applied.join(', ')}` : `The schema is up to date (${after.at(-1)})`,
        data: { applied, last: after.at(-1) },
      }
    } finally {
      await opened.close()
    }
  },
})

import { command } from './frame/command.ts'

export const backup = command({
  name: 'backup',
  group: 'Data',
  about: 'Copies the data directory, also while the server runs.',
  details:
    'The copy has the database, the files and the secret, and is of the moment when the copying ends. It is for the\n' +
    'PostgreSQL that comes along: with DATABASE_URL, use the tools of that PostgreSQL.',
  args: [['directory', 'Where the backup appears when it is complete. It must not exist.']],
  examples: [
    ['sutler backup /backups/monday', 'the data of ./data'],
    ['SUTLER_DATA_DIR=/srv/shop sutler backup /backups/monday', 'the data of /srv/shop'],
  ],
  leaves: 'there is no backup. The server is not disturbed.',
  async run({ args: [path = ''], progress }) {
    const { backUp } = await import('../server/platform/postgres/backup.ts')
    const { systemClock } = await import('../server/kernel/clock.ts')
    const { resolve } = await import('node:path')
    const { describeBackup, ownDataDirectory } = await import('./frame/own-data.ts')
    const config = ownDataDirectory()
    const directory = resolve(path)
    await backUp(config.dataDir, directory, systemClock.now(), (bytes, share) =>
      progress.add(0, bytes, 'copied', share),
    )
    const { remarks, data } = describeBackup(config, directory)
    return { text: `${config.dataDir} is backed up to ${directory}${remarks}`, data }
  },
})

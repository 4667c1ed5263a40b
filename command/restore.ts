import { command } from './frame/command.ts'

export const restoreCommand = command({
  name: 'restore',
  group: 'Data',
  about: 'Creates a data directory from a backup, and checks every file of it.',
  args: [['directory', 'The backup.']],
  examples: [
    [
      'SUTLER_DATA_DIR=/srv/shop sutler restore /backups/monday',
      'into /srv/shop, which must be empty or missing',
    ],
  ],
  leaves: 'the data directory is as empty as before.',
  async run({ args: [path = ''], progress }) {
    const { restore } = await import('../server/platform/postgres/backup.ts')
    const { resolve } = await import('node:path')
    const { describeBackup, ownDataDirectory } = await import('./frame/own-data.ts')
    const config = ownDataDirectory()
    const directory = resolve(path)
    await restore(directory, config.dataDir, (bytes, share) => progress.add(0, bytes, 'copied', share))
    const { remarks, data } = describeBackup(config, directory)
    return {
      text: `${config.dataDir} is restored from ${directory}: start it with sutler start${remarks}`,
      data,
    }
  },
})

import { command, text } from './frame/command.ts'

export const importCommand = command({
  name: 'import',
  group: 'Data',
  about: 'Makes an equal store of an archive, on a server that does not run.',
  details: 'A new data directory or database gets its first start here, and the first key is printed.',
  args: [['file', 'The archive, which sutler export has written.']],
  options: { store: text('id', 'The empty store to replace, where the server has several.') },
  examples: [['SUTLER_DATA_DIR=/srv/shop sutler import shop.tar', 'into a new server in /srv/shop']],
  leaves: 'the store is as empty as before. Files that were stored are not stored again.',
  async run({ args: [file = ''], options, progress }) {
    const { resolve } = await import('node:path')
    const { readConfig } = await import('../server/config.ts')
    const { app } = await import('../server/app.ts')
    const { systemClock: clock } = await import('../server/kernel/clock.ts')
    const { openBlobs, openDatabase } = await import('../tools/open-database.ts')
    const { prepareDatabase } = await import('../server/prepare-database.ts')
    const { importStore } = await import('../tools/moving/import-store.ts')
    const config = readConfig()
    const path = resolve(file)
    const opened = await openDatabase(config, false)
    const blobs = await openBlobs(config)
    try {
      const { database } = opened
      // A new server has its first start here, so that its first key is known.
      await prepareDatabase(config, database, clock)
      const jobs = app.flatMap((module) => module.jobs)
      const parts = { database, blobs, clock, progress, jobs, path, storeId: options.store }
      const [what, ...remarks] = await importStore(parts)
      const line = `The store (${what}) is imported from ${path}: ${progress.summary()}.`
      return { text: [line, ...remarks].join('\n'), data: { file: path, contents: what, remarks } }
    } finally {
      blobs.close()
      await opened.close()
    }
  },
})

import { command, text } from './frame/command.ts'

export const exportCommand = command({
  name: 'export',
  group: 'Data',
  about: 'Writes a store into one file, also while the server runs.',
  details: 'The file contains personal data and hashes of passwords: keep it as you keep a backup.',
  args: [['file', 'The archive to write. It must not exist.']],
  options: { store: text('id', 'The store, where the server has several.') },
  examples: [
    ['sutler export shop.tar', 'the store of ./data, or of DATABASE_URL'],
    ['sutler export shop.tar --store 0190…', 'one of several stores'],
  ],
  leaves: 'no archive is written. The store is not disturbed.',
  async run({ args: [file = ''], options, progress }) {
    const { resolve } = await import('node:path')
    const { readConfig } = await import('../server/config.ts')
    const { systemClock: clock } = await import('../server/kernel/clock.ts')
    const { openBlobs, openDatabase } = await import('../tools/open-database.ts')
    const { exportStore } = await import('../tools/moving/export-store.ts')
    const config = readConfig()
    const path = resolve(file)
    const opened = await openDatabase(config, true)
    const blobs = await openBlobs(config)
    try {
      const parts = { url: opened.url, blobs, clock, progress, path, storeId: options.store }
      const [what, ...remarks] = await exportStore(parts)
      const line = `The store (${what}) is exported to ${path}: ${progress.summary()}.`
      return { text: [line, ...remarks].join('\n'), data: { file: path, contents: what, remarks } }
    } finally {
      blobs.close()
      await opened.close()
    }
  },
})

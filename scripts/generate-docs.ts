// Writes the generated files: documents, licences, the list of components. tests/docs.test.ts fails when one of them is
// out of date.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Database } from '../server/kernel/storage/database.ts'
import { migrate } from '../server/kernel/upgrades/migrate.ts'
import { startEmbedded } from '../server/platform/postgres/embedded.ts'
import { generatedDocs } from './docs/generated.ts'

const directory = mkdtempSync(join(tmpdir(), 'sutler-docs-'))
const embedded = await startEmbedded(directory)
const database = new Database(embedded.url, 2)
try {
  await migrate(database)
  for (const [name, text] of await generatedDocs(database)) {
    writeFileSync(new URL(`../${name}`, import.meta.url), text)
  }
} finally {
  await database.close()
  await embedded.stop()
  rmSync(directory, { recursive: true, force: true })
}

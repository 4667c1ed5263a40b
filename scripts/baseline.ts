// Writes a baseline for all migrations into a folder: a file for each wing, and baseline.json. See decision 94.
// Commit first, then run: node scripts/run.mjs baseline <folder>
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Database } from '../server/kernel/storage/database.ts'
import { migrate } from '../server/kernel/upgrades/migrate.ts'
import { startEmbedded } from '../server/platform/postgres/embedded.ts'
import { writeBaseline } from './baseline/write-baseline.ts'

const [to = ''] = process.argv.slice(2)
if (to === '') {
  process.stderr.write('Name the folder to write to.\n')
  process.exit(1)
}
mkdirSync(to, { recursive: true })
const from = fileURLToPath(new URL('../server/migrations/', import.meta.url))
const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: from, encoding: 'utf8' }).trim()
const directory = mkdtempSync(join(tmpdir(), 'sutler-baseline-'))
const embedded = await startEmbedded(directory)
const database = new Database(embedded.url, 2)
try {
  await migrate(database)
  const { files } = await writeBaseline(database, { from, to, commit })
  process.stdout.write(`${files.join('\n')}\n`)
} finally {
  await database.close()
  await embedded.stop()
  rmSync(directory, { recursive: true, force: true })
}

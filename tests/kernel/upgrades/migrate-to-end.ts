import { Database } from '../../../server/kernel/storage/database.ts'
import { finishMigrations } from '../../../server/kernel/upgrades/finish.ts'
import { migrate } from '../../../server/kernel/upgrades/migrate.ts'

/** Applies a folder of migrations, in a process of its own that a test may kill. */
const [url = '', folder = ''] = process.argv.slice(2)
const database = new Database(url, 2)
await migrate(database, folder)
const unfinished = await finishMigrations(database, { folder })
await database.close()
process.stdout.write(unfinished ?? 'finished')

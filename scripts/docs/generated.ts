import { sutlerApi } from '../../server/api-document.ts'
import { app } from '../../server/app.ts'
import type { Connection } from '../../server/kernel/storage/database.ts'
import { configurationPage } from './configuration-page.ts'
import { conformancePage } from './conformance-page.ts'
import { errorsPage } from './errors-page.ts'
import { schemaDump } from './schema-dump.ts'

/** Every generated file under docs/, with its text. `database` is migrated and otherwise untouched. */
export async function generatedDocs(database: Connection): Promise<readonly (readonly [string, string])[]> {
  return [
    ['openapi.json', `${JSON.stringify(sutlerApi(), null, 2)}\n`],
    ['errors.md', errorsPage()],
    ['configuration.md', configurationPage()],
    ['conformance.md', conformancePage(app)],
    ['schema.sql', await schemaDump(database)],
  ]
}

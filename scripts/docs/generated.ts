import { sutlerApi } from '../../server/api-document.ts'
import { app } from '../../server/app.ts'
import type { Connection } from '../../server/kernel/storage/database.ts'
import { configurationPage } from './configuration-page.ts'
import { conformancePage } from './conformance-page.ts'
import { errorsPage } from './errors-page.ts'
import { sbom } from './sbom.ts'
import { schemaDump } from './schema-dump.ts'
import { thirdPartyPage } from './third-party.ts'

/** Every generated file, by its path from the root, with its text. `database` is migrated and otherwise untouched. */
export async function generatedDocs(database: Connection): Promise<readonly (readonly [string, string])[]> {
  return [
    ['docs/openapi.json', `${JSON.stringify(sutlerApi(), null, 2)}\n`],
    ['docs/errors.md', errorsPage()],
    ['docs/configuration.md', configurationPage()],
    ['docs/conformance.md', conformancePage(app)],
    ['docs/schema.sql', await schemaDump(database)],
    ['THIRD-PARTY.md', thirdPartyPage()],
    ['sbom.cdx.json', sbom()],
  ]
}

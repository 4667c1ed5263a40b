// Writes the SQL of the table of a resource, from its declaration, for a new migration: npm run table brands
import { app } from '../server/app.ts'
import { resourcesOf } from '../server/kernel/module.ts'
import { tableSql } from './tables/table-sql.ts'

const [name = ''] = process.argv.slice(2)
const resources = resourcesOf(app)
const { table } = resources.find((one) => [one.table, ...one.noun, one.type].includes(name)) ?? {}
if (table === undefined) {
  process.stderr.write(
    `No resource has the table or the noun ${JSON.stringify(name)}. Add yours to the chapter of its room first.\n`,
  )
  process.exit(1)
}
process.stdout.write(tableSql(resources.filter((one) => one.table === table)))

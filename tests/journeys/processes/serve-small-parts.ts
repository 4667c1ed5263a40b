import { readConfig } from '../../../server/config.ts'
import { start } from '../../../server/main.ts'
import { smallParts } from './small-parts.ts'

/** A process whose imports have small parts, for tests that kill it. */
const { url } = await start(readConfig(), { modules: smallParts })
process.stdout.write(`Sutler is ready at ${url}\n`)

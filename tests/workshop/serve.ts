import { readConfig } from '../../server/config.ts'
import { start } from '../../server/main.ts'
import { appAndWorkshop } from './index.ts'

/** A process that serves the workshop, to be killed. */
const { url, stop } = await start(readConfig(), appAndWorkshop)
process.on('SIGTERM', () => void stop().then(() => process.exit(0)))
process.stdout.write(`Sutler is ready at ${url}\n`)

import { readConfig } from '../../server/config.ts'
import { start } from '../../server/main.ts'
import { appAndWorkshop } from '../workshop/index.ts'
import { carrier } from '../workshop/ship-crate.ts'

/** A process that serves the workshop, for tests that kill it. */
carrier.url = process.env.WORKSHOP_CARRIER ?? ''
// Several shipments wait together when the process is killed.
carrier.timeoutMs = 4000
const { url, stop } = await start(readConfig(), appAndWorkshop)
process.on('SIGTERM', () => void stop().then(() => process.exit(0)))
process.stdout.write(`Sutler is ready at ${url}\n`)

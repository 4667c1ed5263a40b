import { setImmediate as turn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { readConfig } from '../../server/config.ts'
import { start } from '../../server/main.ts'
import { appAndWorkshop } from '../workshop/index.ts'
import type { Measures } from './measured-server.ts'

/** A process that serves the workshop, and measures itself when it is asked. */

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** The most processor time between two turns of the event loop since the last question, in milliseconds. */
let longestTurnMs = 0
let before = process.threadCpuUsage()
setInterval(() => {
  const now = process.threadCpuUsage()
  longestTurnMs = Math.max(longestTurnMs, (now.user + now.system - before.user - before.system) / 1000)
  before = now
}, 2)

/** What is behind a finished promise or a closed socket is garbage a turn later. */
async function collectAll(): Promise<void> {
  for (let i = 0; i < 2; i++) {
    collectGarbage()
    await turn()
  }
}

process.on('message', async (question: 'held' | 'size') => {
  const turnMs = longestTurnMs
  if (question === 'held') await collectAll()
  const { heapUsed, external } = process.memoryUsage()
  const peakRss = process.resourceUsage().maxRSS * 1024
  const measures: Measures = { peakRss, heldBytes: heapUsed + external, longestTurnMs: turnMs }
  process.send?.(measures)
  // Collecting all garbage is no turn of a request.
  before = process.threadCpuUsage()
  longestTurnMs = 0
})

const { url, stop } = await start(readConfig(), appAndWorkshop)
const end = () => void stop().then(() => process.exit(0))
process.on('SIGTERM', end)
process.on('disconnect', end)
process.stdout.write(`Sutler is ready at ${url}\n`)

import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { app } from '../server/app.ts'
import { readConfig } from '../server/config.ts'
import { systemClock } from '../server/kernel/clock.ts'
import { StartupError } from '../server/platform/faults.ts'
import { isIn, isPublic } from '../server/platform/sockets/addresses.ts'
import { compare } from './copying/compare.ts'
import { type Copy, copyAll, matchStores } from './copying/copier.ts'
import { CopyState } from './copying/copy-state.ts'
import { skipReasons } from './copying/exceptions.ts'
import { feedEnd, follow } from './copying/follow.ts'
import { oneLine, UnreadableAnswer } from './copying/read-answer.ts'
import { Remote, type RemoteCredentials } from './copying/remote.ts'
import { CopyReport } from './copying/report.ts'
import { planOf } from './copying/steps.ts'
import { openFileAccess } from './file-access.ts'

const usage =
  'npm run copy -- --from <url> --client-id <id> --client-secret <secret> --to <url> ' +
  '[--to-client-id <id> --to-client-secret <secret>] [--per-second 10] [--state copy.ndjson] [--follow | --compare]. ' +
  'A secret may be @<file>, the name of a file that has it.'

const differencesMax = 50
/** How often what differs is copied again. */
const roundsMax = 4

/**
 * Copies a store from another server of this API, by its public operations, into a store of a Sutler; then reads both
 * again and compares them.
 */
async function run(args: readonly string[]): Promise<string> {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean' } as const
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...{ from: text, 'client-id': text, 'client-secret': text },
      ...{ to: text, 'to-client-id': text, 'to-client-secret': text },
      ...{ 'per-second': text, state: text, compare: flag, follow: flag },
    },
  })
  if (values.compare && values.follow) throw new StartupError(usage)
  const config = readConfig()
  const perSecond = Number(values['per-second'] ?? 10)
  if (!(perSecond > 0)) throw new StartupError('--per-second must be a number above 0')
  const from = credentialsOf(values.from, values['client-id'], values['client-secret'])
  const to = credentialsOf(
    values.to ?? `http://localhost:${config.port}`,
    values['to-client-id'] ?? config.clientId,
    values['to-client-secret'] ?? config.clientSecret,
  )
  const state = new CopyState(resolve(values.state ?? 'copy.ndjson'), from.url, to.url)
  const files = openFileAccess((address) => isPublic(address) || isIn(config.webhookNetworks, address))
  const copy: Copy = {
    from: new Remote(from, systemClock, perSecond, files),
    // It is ours, and says itself how much it takes.
    to: new Remote(to, systemClock, 10_000, files),
    state,
    report: new CopyReport(),
    say: (line) => process.stderr.write(`${oneLine(line)}\n`),
  }
  try {
    return await copyAndCompare(copy, values.compare ? 'compares' : values.follow ? 'follows' : 'copies')
  } finally {
    state.close()
    files.close()
  }
}

function credentialsOf(
  url: string | undefined,
  id: string | undefined,
  secret: string | undefined,
): RemoteCredentials {
  if (!url || !id || !secret || !/^https?:\/\//.test(url)) throw new StartupError(usage)
  const clientSecret = secret.startsWith('@') ? readFileSync(secret.slice(1), 'utf8').trim() : secret
  return { url: url.replace(/\/+$/, ''), clientId: id, clientSecret }
}

async function copyAndCompare(copy: Copy, mode: 'copies' | 'follows' | 'compares'): Promise<string> {
  const onlyCompare = mode === 'compares'
  const plan = planOf(app.flatMap(({ operations }) => operations))
  const { state, report, from, to } = copy
  // Before the lists are read, so that no change is between them and the feed.
  if (!state.beginning) state.begin({ from: from.url, to: to.url, position: await feedEnd(from) })
  const position = state.position ?? state.beginning?.position ?? null
  if (mode === 'follows' && position === null) {
    throw new StartupError(`${from.url} had no GET /v2/changes when this copy began: --follow needs it`)
  }
  await (onlyCompare ? matchStores(copy) : copyAll(copy, plan))
  if (position !== null && !onlyCompare) await follow(copy, plan, position, ending(copy, mode === 'follows'))
  copy.say('comparing …')
  let found = await compare(copy, plan, !onlyCompare)
  // Others may write to the other server meanwhile.
  for (let round = 1; found.differences.length && round < roundsMax && !onlyCompare; round++) {
    copy.say(`${found.differences.length} differences, copied again …`)
    found = await compare(copy, plan, round < roundsMax - 1)
  }
  const { equal, differences } = found
  if (differences.length) process.exitCode = 2
  const shown = differences.slice(0, differencesMax)
  const more = differences.length - shown.length
  return [
    ...report.lines(),
    '',
    'Never copied:',
    ...Object.entries(skipReasons).map(([name, reason]) => `  ${name}: ${reason}`),
    '',
    differences.length
      ? `${equal} objects are equal on both servers, and ${differences.length} differ:`
      : `All ${equal} objects are equal on both servers.`,
    ...shown.map((line) => `  ${line}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
    `(${from.requests} requests to ${from.url}, ${to.requests} to ${to.url}; ${from.retries + to.retries} repeated)`,
  ]
    .map(oneLine)
    .join('\n')
}

/** Whether to end with the last change: at once, or when the operator asks for it. */
function ending({ say }: Copy, waits: boolean): () => boolean {
  if (!waits) return () => true
  const stop = new AbortController()
  // A second signal ends the process.
  process.once('SIGINT', () => stop.abort())
  say('following changes: press Ctrl+C to end with the last one, and compare')
  return () => stop.signal.aborted
}

try {
  process.stdout.write(`${await run(process.argv.slice(2))}\n`)
} catch (error) {
  const { message, stack, code } = error as NodeJS.ErrnoException
  const isReason = error instanceof StartupError || error instanceof UnreadableAnswer
  // Errors of the file system and of the arguments state the reason.
  process.stderr.write(`sutler: ${isReason || code ? oneLine(message) : stack}\n`)
  process.exitCode = 1
}

import { app } from '../server/app.ts'
import { StartupError } from '../server/platform/faults.ts'
import { compare } from './copying/compare.ts'
import { type Copy, copyAll, matchStores } from './copying/copier.ts'
import { skipReasons } from './copying/exceptions.ts'
import { feedEnd, follow } from './copying/follow.ts'
import { oneLine } from './copying/read-answer.ts'
import { planOf } from './copying/steps.ts'

const differencesMax = 50
/** How often what differs is copied again. */
const roundsMax = 4

/**
 * Copies a store from another server of this API, by its public operations, into a store of a Sutler; then reads both
 * again and compares them. Returns the report, and whether the two are equal.
 */
export async function copyStore(
  copy: Copy,
  mode: 'copies' | 'follows' | 'compares',
  signal: AbortSignal,
): Promise<{ readonly lines: readonly string[]; readonly equal: number; readonly differences: number }> {
  const onlyCompare = mode === 'compares'
  const plan = planOf(app.flatMap(({ operations }) => operations))
  const { state, report, from, to } = copy
  await Promise.all([from.connect(), to.connect()])
  // Before the lists are read, so that no change is between them and the feed.
  if (!state.beginning) state.begin({ from: from.url, to: to.url, position: await feedEnd(from) })
  const position = state.position ?? state.beginning?.position ?? null
  if (mode === 'follows' && position === null) {
    throw new StartupError(`${from.url} had no GET /v2/changes when this copy began: --follow needs it`)
  }
  await (onlyCompare ? matchStores(copy) : copyAll(copy, plan))
  if (position !== null && !onlyCompare)
    await follow(copy, plan, position, ending(copy, mode === 'follows' ? signal : undefined))
  copy.say('comparing …')
  let found = await compare(copy, plan, !onlyCompare)
  // Others may write to the other server meanwhile.
  for (let round = 1; found.differences.length && round < roundsMax && !onlyCompare; round++) {
    copy.say(`${found.differences.length} differences, copied again …`)
    found = await compare(copy, plan, round < roundsMax - 1)
  }
  const { equal, differences } = found
  const shown = differences.slice(0, differencesMax)
  const more = differences.length - shown.length
  const lines = [
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
  return { lines: lines.map(oneLine), equal, differences: differences.length }
}

/** Whether to end with the last change: at once, or when the operator asks for it. */
function ending({ say }: Copy, signal: AbortSignal | undefined): () => boolean {
  if (!signal) return () => true
  say('following changes: press Ctrl+C to end with the last one, and compare')
  return () => signal.aborted
}

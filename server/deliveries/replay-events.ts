import { storeFacts } from '../events/index.ts'
import { readChanges } from '../kernel/feed/changes.ts'
import type { Job } from '../kernel/work/job.ts'
import { findObservers, jobsOf, queueJobs } from './fan-out.ts'

interface Replay {
  readonly integrationId: string
  /** The position before the next change. */
  readonly after: number
  /** The position of the last change. */
  readonly to: number
}

/** How many changes one run reads. */
const changesMax = 500
/** So many events of a replay may wait at a time: a long one must not fill the database. */
const waitingMax = 1_000
const restMs = 1_000

/** Makes the events of a window into jobs again, some changes at a time. */
export const replayEvents: Job<Replay> = {
  name: 'deliveries:replay-events',
  attemptsMax: 25,
  run: (work, { integrationId, after, to }) =>
    work.transaction(async (inside) => {
      const { store, clock } = inside
      const observer = (await findObservers(store)).find(({ id }) => id === integrationId)
      if (!observer) return
      const [waiting] = await store.run(
        `SELECT count(*) FROM (SELECT FROM integration_jobs
           WHERE store_id = $1 AND integration_id = $2 AND state = 'waiting' LIMIT ${waitingMax}) w`,
        integrationId,
      )
      const next = (position: number, at?: Date) =>
        inside.later(replayEvents, { integrationId, after: position, to }, at && { at })
      if (Number(waiting?.[0]) >= waitingMax) return next(after, new Date(clock.now().getTime() + restMs))
      const changes = await readChanges(store, after, changesMax)
      const within = changes.filter(({ position }) => position <= to)
      await queueJobs(store, jobsOf(within, await storeFacts(inside), [observer]), clock.now(), true)
      const last = within.at(-1)
      if (last && last.position < to) await next(last.position)
    }),
}

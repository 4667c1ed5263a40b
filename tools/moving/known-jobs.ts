import { isObject } from '../../server/kernel/body/input.ts'
import type { Job, LongJob } from '../../server/kernel/work/job.ts'
import { jobsName } from './archive-form.ts'
import { jobsLeftBehind } from './left-behind.ts'
import { BrokenArchive } from './tar.ts'

const longJobsTable = 'long_jobs'
/** Jobs on their way to one of the queues. */
const outboxTable = 'job_outbox'

export type ServerJobs = readonly Pick<Job | LongJob, 'name' | 'long'>[]

/**
 * Refuses jobs in an archive that this server does not have, or that are of another store: nobody would run them, and
 * those that wait behind them would wait for ever.
 */
export function mustBeKnownJobs(table: string, lines: Buffer, jobs: ServerJobs, storeId: string): void {
  if (table !== jobsName && table !== longJobsTable && table !== outboxTable) return
  for (const line of lines.toString().trimEnd().split('\n')) {
    const job = jobIn(line)
    const isLong = table === longJobsTable || (table === outboxTable && job?.is_long === true)
    const isKnown = jobs.some(({ name, long = false }) => name === job?.name && long === isLong)
    if (!job || !isKnown || Object.hasOwn(jobsLeftBehind, String(job.name)))
      throw new BrokenArchive(
        `${table} has an unknown job: ${JSON.stringify(job?.name ?? line.slice(0, 80))}`,
      )
    if (table === jobsName && !isOfStore(job, storeId))
      throw new BrokenArchive(`${table} has a job of another store: ${JSON.stringify(job.name)}`)
  }
}

function jobIn(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const job: unknown = JSON.parse(line)
    return isObject(job) ? job : undefined
  } catch {
    return undefined
  }
}

/** A short job names its store in the payload, and in the key under which it waits. */
const isOfStore = ({ payload, key }: Readonly<Record<string, unknown>>, storeId: string): boolean =>
  isObject(payload) &&
  payload.store === storeId &&
  typeof payload.by === 'string' &&
  (key === null || String(key).startsWith(`${storeId} `))

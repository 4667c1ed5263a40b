import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { Faults, faultTexts } from '../parts/faults.tsx'
import { words } from '../words/words.ts'
import { hasEnded, type Job, readJob, readJobErrors } from './job.ts'
import css from './jobs.module.css'

interface JobProgressProps {
  /** The job as the server has answered it. */
  readonly job: Job
  /** Called once, when it has ended. */
  onEnd(): void
}

const pauseMs = 700

/** Follows a job until it ends: its state, how much is done, how fast, and what went wrong. */
export function JobProgress({ job: first, onEnd }: JobProgressProps) {
  const { path = '' } = first
  const [startedAt] = useState(Date.now)
  const query = useQuery({
    queryKey: ['job', path],
    queryFn: async ({ signal }) => (await readJob(path, signal)) ?? first,
    enabled: path !== '',
    staleTime: 0,
    refetchInterval: ({ state }) => (state.error || (state.data && hasEnded(state.data)) ? false : pauseMs),
  })
  const job = query.data ?? first
  const isEnded = hasEnded(job)
  const errors = useQuery({
    queryKey: ['job-errors', path],
    queryFn: ({ signal }) => readJobErrors(path, signal),
    enabled: isEnded && path !== '',
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is told once.
  useEffect(() => {
    if (isEnded) onEnd()
  }, [isEnded])
  const { states, progress, perSecond, open } = words.jobs
  const { done, of } = job.progress ?? { done: 0, of: 0 }
  const seconds = (query.dataUpdatedAt - startedAt) / 1000
  const texts = [...(job.error ? [job.error] : []), ...(errors.data ?? [])]
  return (
    <>
      <p role="status" className={css.job}>
        <strong>{states[job.state]}</strong>
        {!isEnded && (
          <progress
            className={css.progress}
            aria-label={states[job.state]}
            {...(of > 0 && { value: done, max: of })}
          />
        )}
        {of > 0 && !isEnded && <span>{progress(done, of)}</span>}
        {of > 0 && !isEnded && seconds > 1 && done > 0 && <span>{perSecond(done / seconds)}</span>}
        {path && (
          <Link to="/$" params={{ _splat: path.slice(1) }}>
            {open}
          </Link>
        )}
      </p>
      <Faults texts={query.error ? faultTexts(query.error) : texts} />
    </>
  )
}

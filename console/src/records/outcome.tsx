import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import { type Item, valueAt } from '../api/objects.ts'
import parts from '../parts/parts.module.css'
import { Snippet } from '../parts/snippet.tsx'
import { words } from '../words/words.ts'
import { type JobErrors, type JobPlace, jobIn, stateOf, useJob, useJobErrors, usePace } from './follow-job.ts'
import css from './records.module.css'

interface OutcomeProps {
  readonly answer: unknown
  /** The path of the request. */
  readonly near: string
}

/** What the server answered to an action. A job that it has begun is followed until it ends. */
export function Outcome({ answer, near }: OutcomeProps) {
  const found = jobIn(answer, near)
  if (found) return <JobOutcome first={found.job} place={found.place} />
  return (
    <>
      <p role="status">{words.record.done}</p>
      {answer !== undefined && <Snippet label={words.record.answer} text={JSON.stringify(answer, null, 2)} />}
    </>
  )
}

interface JobOutcomeProps {
  readonly first: Item
  readonly place: JobPlace
  /** It stands on the page of the job. */
  readonly isOnPage?: boolean
}

/** How far a job is, how fast, and what it could not do. */
export function JobOutcome({ first, place, isOnPage = false }: JobOutcomeProps) {
  const queries = useQueryClient()
  const job = useJob(first, place)
  const state = stateOf(job) ?? 'done'
  const hasEnded = state !== 'waiting' && state !== 'running'
  const errors = useJobErrors(place, hasEnded)
  const progress = valueAt(job, 'meta.progress')
  const [done, of] = [Number(valueAt(progress, 'done')), Number(valueAt(progress, 'of'))]
  const pace = usePace(done, of)
  const waitsFor = valueAt(job, 'meta.waiting_for')
  // What it has written is in the lists behind the window.
  useEffect(() => {
    if (hasEnded) for (const key of ['list', 'item']) void queries.invalidateQueries({ queryKey: [key] })
  }, [hasEnded, queries])
  return (
    <>
      <p role="status" className={css.job} data-state={state}>
        {words.job.about[state]} {typeof waitsFor === 'string' && waitsFor}
      </p>
      {!hasEnded && (
        <div className={parts.row}>
          <progress aria-label={words.job.progress} {...(of > 0 && { value: done, max: of })} />
          {of > 0 && <span>{words.job.parts(done, of)}</span>}
          {pace && <span>{words.job.pace(pace.perSecond, pace.secondsLeft)}</span>}
        </div>
      )}
      {!hasEnded && !isOnPage && <p>{words.job.leave}</p>}
      <Files job={job} />
      <Errors {...errors} />
      {place.itemPath && !isOnPage && (
        <p>
          <Link to="/$" params={{ _splat: place.itemPath.slice(1) }}>
            {words.job.show}
          </Link>
        </p>
      )}
    </>
  )
}

/** The files that a job has written. */
function Files({ job }: { readonly job: Item }) {
  const files = valueAt(job, 'meta.file_locations')
  if (!Array.isArray(files) || !files.length) return null
  return (
    <ul>
      {files.map((href, i) => (
        <li key={String(href)}>
          <a href={String(href)} download>
            {words.job.file(i + 1)}
          </a>
        </li>
      ))}
    </ul>
  )
}

function Errors({ errors, total }: JobErrors) {
  if (!errors.length) return null
  const more = total - errors.length
  const hasPlaces = errors.some(({ place }) => place)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by the keyboard.
    <section className={css.errors} tabIndex={0} aria-label={words.job.errors(total)}>
      <table>
        <caption>{words.job.errors(total)}</caption>
        <thead>
          <tr>
            {hasPlaces && <th scope="col">{words.job.place}</th>}
            <th scope="col">{words.job.message}</th>
          </tr>
        </thead>
        <tbody>
          {errors.map(({ id, place, message }) => (
            <tr key={id}>
              {hasPlaces && <th scope="row">{place}</th>}
              <td>{message}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {more > 0 && <p>{words.job.moreErrors(more)}</p>}
    </section>
  )
}

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { send } from '../api/client.ts'
import { type Item, isItem, pageIn, valueAt } from '../api/objects.ts'
import { ApiProblem } from '../api/problem.ts'
import { fillPath, listOfType, listsBelow } from '../api/resources.ts'
import { termOf } from '../api/terms.ts'

/** How far a job is. */
export type JobState = 'waiting' | 'running' | 'done' | 'failed' | 'cancelled'

/** The states of the API's jobs, in small letters. */
const states: Readonly<Record<string, JobState>> = {
  ...{ pending: 'waiting', started: 'running', processing: 'running', in_progress: 'running' },
  ...{ cancelling: 'running', success: 'done', completed: 'done', published: 'done' },
  ...{ failed: 'failed', cancelled: 'cancelled' },
}

export function stateOf(job: Item): JobState | undefined {
  const places = ['status', 'attributes.status', 'meta.release_status']
  const [state] = places.map((path) => valueAt(job, path)).filter((value) => typeof value === 'string')
  return typeof state === 'string' ? states[state.toLowerCase()] : undefined
}

/** Where a job is read. */
export interface JobPlace {
  /** The page of the job, if it has one. */
  readonly itemPath: string | undefined
  readonly listPath: string
  readonly id: string
  /** Where its errors are. */
  readonly errorsPath: string | undefined
}

/** The job that an answer is about; undefined if it is about anything else. */
export function jobIn(
  answer: unknown,
  near: string,
): { readonly job: Item; readonly place: JobPlace } | undefined {
  const job = valueAt(answer, 'data')
  if (!isItem(job) || stateOf(job) === undefined) return undefined
  const resource = listOfType(String(job.type), near)
  if (!resource) return undefined
  const id = String(job.id)
  const listPath = fillPath(resource.path, near)
  const itemPath = resource.item && `${listPath}/${id}`
  const errors = listsBelow(resource).find(({ type }) => /error$/.test(type))
  return {
    job,
    place: {
      ...{ id, listPath, itemPath },
      errorsPath: itemPath && errors && fillPath(errors.path, itemPath),
    },
  }
}

const isAtWork = (job: Item | undefined): boolean => {
  const state = job && stateOf(job)
  return state === 'waiting' || state === 'running'
}

const everyMs = 1000

/** Asks for a job until it ends. A server that is away for a while is asked again. */
export function useJob(first: Item, { itemPath, listPath, id }: JobPlace): Item {
  const path = itemPath ?? `${listPath}?${new URLSearchParams({ filter: termOf('eq', 'id', id) })}`
  const { data = first } = useQuery({
    queryKey: ['job', path],
    queryFn: async ({ signal }) => {
      const { body } = await send({ path, signal })
      const [row] = pageIn(body).rows
      const data = row ?? valueAt(body, 'data')
      return isItem(data) ? data : first
    },
    initialData: first,
    initialDataUpdatedAt: 0,
    refetchInterval: ({ state: { data, error } }) =>
      isAtWork(data) && (!error || isTemporary(error)) ? everyMs : false,
  })
  return data
}

const isTemporary = (error: unknown) =>
  error instanceof ApiProblem && [0, 429, 502, 503, 504].includes(error.status)

/** How fast a job is, and how long the rest of it takes at that pace. */
export interface Pace {
  readonly perSecond: number
  readonly secondsLeft: number
}

/** The pace of a job since it was first seen; undefined until that says something. */
export function usePace(done: number, of: number): Pace | undefined {
  const [first, setFirst] = useState({ done, atMs: performance.now() })
  const [pace, setPace] = useState<Pace>()
  const [last, setLast] = useState(done)
  if (done === last || !(of > 0)) return pace
  setLast(done)
  // A job that waited for its turn had no pace yet.
  if (!(first.done > 0)) setFirst({ done, atMs: performance.now() })
  else {
    const perSecond = ((done - first.done) * 1000) / (performance.now() - first.atMs)
    setPace({ perSecond, secondsLeft: (of - done) / perSecond })
  }
  return pace
}

export interface JobErrors {
  readonly errors: readonly { readonly id: string; readonly place: string; readonly message: string }[]
  readonly total: number
}

const errorsMax = 100

/** What a job could not do, once it has ended. */
export function useJobErrors({ errorsPath }: JobPlace, hasEnded: boolean): JobErrors {
  const { data } = useQuery({
    queryKey: ['job-errors', errorsPath],
    queryFn: async ({ signal }) => {
      const { body } = await send({ path: `${errorsPath}?page[limit]=${errorsMax}`, signal })
      const { rows, total = 0 } = pageIn(body)
      return { errors: rows.map(errorOf), total }
    },
    enabled: hasEnded && errorsPath !== undefined,
  })
  return data ?? { errors: [], total: 0 }
}

/** `row 3, column sku: is taken`: the place stands before the colon. */
function errorOf(row: Item) {
  const text = String(valueAt(row, 'attributes.message') ?? '')
  const [, place = '', message = text] = /^((?:row|line) \d[^:]*): ([\s\S]*)$/i.exec(text) ?? []
  return { id: String(row.id), place, message }
}

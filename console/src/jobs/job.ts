import { send } from '../api/client.ts'
import { type Item, isItem, pageIn, valueAt } from '../api/objects.ts'
import { listsBelow, placeAt, resources, rowPath } from '../api/resources.ts'

/** Work of the server that goes on after its answer. */
export interface Job {
  readonly item: Item
  /** Where it is read; undefined if it has no page. */
  readonly path: string | undefined
  readonly state: 'waiting' | 'running' | 'done' | 'failed' | 'cancelled'
  /** How much of it is done, if it says so. */
  readonly progress: { readonly done: number; readonly of: number } | undefined
  /** What it has said about its end. */
  readonly error: string | undefined
}

const statePaths = ['attributes.status', 'meta.release_status', 'status']

const states: Readonly<Record<string, Job['state']>> = {
  pending: 'waiting',
  started: 'running',
  processing: 'running',
  in_progress: 'running',
  cancelling: 'running',
  success: 'done',
  completed: 'done',
  published: 'done',
  failed: 'failed',
  cancelled: 'cancelled',
}

/** The job in the answer of a write; undefined if it is something else. `near` is the path that was written. */
export function jobIn(answer: unknown, near: string): Job | undefined {
  const item = valueAt(answer, 'data')
  if (!isItem(item)) return undefined
  const resource = resources.find(({ type }) => type === item.type)
  return resource && isJob(String(item.type)) ? jobOf(item, pathOf(item, near)) : undefined
}

const isJob = (type: string) => /(^|[-_])job$|-release$/.test(type)

function pathOf(item: Item, near: string): string | undefined {
  const own = placeAt(`${near}/${String(item.id)}`)
  if (own?.itemPath && own.resource.type === item.type) return own.itemPath
  const list = resources.find((one) => one.type === item.type && one.item && !one.path.includes('{'))
  return list && rowPath(list, list.path, item)
}

export function jobOf(item: Item, path: string | undefined): Job | undefined {
  const said = statePaths.map((at) => valueAt(item, at)).find((value) => typeof value === 'string')
  const state = typeof said === 'string' ? states[said.toLowerCase()] : undefined
  if (!state) return undefined
  const error = [valueAt(item, 'error'), valueAt(item, 'meta.error')].find(
    (value) => typeof value === 'string' && value !== '',
  )
  return {
    ...{ item, path, state, progress: progressIn(item) },
    error: typeof error === 'string' ? error : undefined,
  }
}

function progressIn(item: Item): Job['progress'] {
  const percent = valueAt(item, 'meta.percent_completed')
  const [done, of] = [valueAt(item, 'meta.progress.done'), valueAt(item, 'meta.progress.of')]
  if (typeof done === 'number' && typeof of === 'number' && of > 0) return { done, of }
  return typeof percent === 'number' ? { done: percent, of: 100 } : undefined
}

export const hasEnded = ({ state }: Job): boolean => state !== 'waiting' && state !== 'running'

export async function readJob(path: string, signal: AbortSignal): Promise<Job | undefined> {
  const data = valueAt((await send({ path, signal })).body, 'data')
  return isItem(data) ? jobOf(data, path) : undefined
}

const errorsMax = 20

/** What went wrong with the single objects of a job, as far as it has a list of that. */
export async function readJobErrors(path: string, signal: AbortSignal): Promise<readonly string[]> {
  const place = placeAt(path)
  const list = place && listsBelow(place.resource).find(({ path }) => path.endsWith('/errors'))
  if (!list) return []
  const { body } = await send({ path: `${path}/errors?page[limit]=${errorsMax}`, signal })
  return pageIn(body).rows.map((row) =>
    String(valueAt(row, 'attributes.message') ?? valueAt(row, 'message') ?? row.id),
  )
}

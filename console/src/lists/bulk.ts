import { send } from '../api/client.ts'
import { valueAt } from '../api/objects.ts'
import { ApiProblem } from '../api/problem.ts'
import { faultTexts } from '../parts/faults.tsx'

/** How many objects of each type would be deleted. */
export type Counts = ReadonlyMap<string, number>

export interface RowError {
  readonly id: string
  readonly text: string
}

export interface BulkResult {
  readonly done: readonly string[]
  readonly errors: readonly RowError[]
  /** Of a dry run. */
  readonly counts: Counts
  readonly isStopped: boolean
}

interface BulkDelete {
  readonly ids: readonly string[]
  readonly itemPathOf: (id: string) => string
  readonly isDryRun: boolean
  readonly signal: AbortSignal
  onProgress(done: number): void
}

const atOnce = 4
const triesMax = 5
const pauseMs = 1000

/** Deletes objects one by one, or asks what that would take along. A stop lets the requests that are under way end. */
export async function bulkDelete(bulk: BulkDelete): Promise<BulkResult> {
  const { ids, signal, onProgress } = bulk
  const done: string[] = []
  const errors: RowError[] = []
  const counts = new Map<string, number>()
  const waiting = ids.values()
  const work = async () => {
    for (const id of waiting) {
      if (signal.aborted) return
      try {
        for (const [type, n] of await deleteOne(bulk, id)) counts.set(type, (counts.get(type) ?? 0) + n)
        done.push(id)
      } catch (error) {
        if (signal.aborted) return
        errors.push({ id, text: faultTexts(error).join(' ') })
      }
      onProgress(done.length + errors.length)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return { done, errors, counts, isStopped: signal.aborted }
}

type Counted = readonly (readonly [type: string, n: number])[]

async function deleteOne(bulk: BulkDelete, id: string, tries = 1): Promise<Counted> {
  const { itemPathOf, isDryRun, signal } = bulk
  const headers = isDryRun ? { prefer: 'dry-run' } : {}
  try {
    // A delete that was sent may have happened, so it is not hung up on.
    const ends = isDryRun ? { signal } : {}
    const { body } = await send({ method: 'DELETE', path: itemPathOf(id), headers, ...ends })
    return Object.entries(valueAt(body, 'meta.would_delete') ?? {}).map(
      ([type, n]) => [type, Number(n)] as const,
    )
  } catch (error) {
    const isBusy = error instanceof ApiProblem && (error.status === 429 || error.status === 503)
    if (!isBusy || tries >= triesMax || signal.aborted) throw error
    await new Promise((resolve) => setTimeout(resolve, pauseMs * tries))
    return deleteOne(bulk, id, tries + 1)
  }
}

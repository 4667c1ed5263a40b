import { type Item, isItem } from './objects.ts'

/** One thing that is wrong with a request, as the API says it. */
export interface Fault {
  readonly title: string
  readonly detail?: string
  readonly code?: string
  /** The part of the request that is wrong: `data.name`. */
  readonly source?: string
  /** More about it for programs: who has a value that must be unique. */
  readonly meta?: Item
}

/** A request that the server refused. */
export class ApiProblem extends Error {
  readonly status: number
  readonly faults: readonly Fault[]
  readonly requestId: string | undefined

  constructor(status: number, faults: readonly Fault[], requestId?: string) {
    super(faults.map(({ title, detail }) => detail ?? title).join(' ') || `HTTP ${status}`)
    this.status = status
    this.faults = faults
    this.requestId = requestId
  }
}

/** The faults in the body of a refusal. */
export function faultsIn(body: unknown): readonly Fault[] {
  const errors = isItem(body) && Array.isArray(body.errors) ? body.errors : []
  return errors.filter(isItem).map(({ title, detail, code, source, meta }) => ({
    title: String(title ?? ''),
    ...(typeof detail === 'string' && { detail }),
    ...(typeof code === 'string' && { code }),
    ...(typeof source === 'string' && { source }),
    ...(isItem(meta) && { meta }),
  }))
}

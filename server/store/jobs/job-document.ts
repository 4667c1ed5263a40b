import type { Resource } from '../../kernel/declare/resource.ts'
import type { Changes, Fields } from '../../kernel/shape/fields.ts'
import type { Row } from '../../kernel/shape/model.ts'
import type { Work } from '../../kernel/work/context.ts'

/** What a document says about its job. */
export interface DocumentedState {
  readonly phase: 'pending' | 'started' | 'ended'
  /** The state from which the next part continues. */
  readonly state?: unknown
  /** Why the job waits before its next try. */
  readonly waitingFor?: string | undefined
  /** How many errors the parts so far have had. */
  readonly errorCount: number
}

/** What has happened to a job. Every event but `waiting` ends its waiting. */
export type JobEvent<D> =
  /** It begins, or continues after it waited or its process ended. */
  | { readonly is: 'started'; readonly at: string }
  | { readonly is: 'waiting'; readonly reason: string }
  | {
      readonly is: 'part done'
      readonly state: unknown
      readonly errorCount: number
      readonly details: D | undefined
    }
  | {
      readonly is: 'ended'
      readonly isSuccess: boolean
      readonly at: string
      readonly details: D | undefined
    }

/**
 * The resource in which clients follow a type of job, and how it shows the job. `D` is the type of what it shows beside
 * the status.
 */
export interface JobDocument<F extends Fields, D> {
  readonly resource: Resource<F>
  read(row: Row<F>): DocumentedState
  /** The changes that show an event. */
  show(row: Row<F>, event: JobEvent<D>): Changes<F>
  /** Stores errors for clients. Without it, the document cannot show any. */
  addErrors?(work: Work, row: Row<F>, errors: readonly string[]): Promise<void>
}

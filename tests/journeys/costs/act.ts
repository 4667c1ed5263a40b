/** One of the things that people do, whose cost is counted. */
export interface Act {
  /** What the act begins with, which is not counted. */
  readonly ready?: () => Promise<unknown>
  // biome-ignore lint/suspicious/noExplicitAny: it is what `ready` made.
  readonly run: (made: any) => Promise<unknown>
  /** Removes what would make the next run cost more. */
  // biome-ignore lint/suspicious/noExplicitAny: it is what `ready` made.
  readonly tidy?: (made: any) => Promise<unknown>
  /** Whether jobs do some of it: what these do varies a little from run to run. */
  readonly hasJobs?: true
}

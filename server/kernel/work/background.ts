import type { Instance } from './context.ts'

/** What each process does besides requests and jobs, such as sending what a queue holds. */
export interface Background {
  readonly name: string
  /** `instance` has the connections of jobs, which never delay requests. */
  start(instance: Instance): BackgroundHandle
}

interface BackgroundHandle {
  /** Ends it, and waits for what it is doing. The database is closed afterwards. */
  stop(): Promise<void>
}

/** The connections for the background work of a process. */
export const backgroundConnections = 4

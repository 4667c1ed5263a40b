/** How long a process that stops waits for its clients. */
export interface ClosingLimits {
  /** For a request that may be on its way on an idle connection. */
  readonly idleMs: number
  /** For requests that are at work. */
  readonly requestsMs: number
}

/** Why a process cannot start or go on, as its supervisor passes it on. */
export interface Fault {
  readonly message: string
  /** The class of its error: the exit code follows from it. */
  readonly name: string
}

/** What a supervisor tells a process. */
export type CrewOrder =
  | { readonly order: 'start'; readonly place: object }
  | { readonly order: 'stop'; readonly limits: ClosingLimits }
  | { readonly order: 'ask'; readonly id: number }

/** What a process tells its supervisor. */
export type CrewReport =
  | { readonly report: 'ready'; readonly ready: object }
  | { readonly report: 'fault'; readonly fault: Fault }
  | { readonly report: 'answer'; readonly id: number; readonly answer: unknown }

import type { ClosingLimits } from '../sockets/connections.ts'

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

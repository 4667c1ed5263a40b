/** What an attempt may take. */
export interface Limits {
  readonly timeoutMs: number
  /** How long a body may take whose status has arrived. */
  readonly bodyMs: number
  /** How much of a response is read and stored. */
  readonly bodyBytesMax: number
  /** Ends the attempt. */
  readonly signal: AbortSignal
}

export const usualLimits = { timeoutMs: 10_000, bodyMs: 1_000, bodyBytesMax: 4 * 1024 } as const

/** How a tool says how far it is. */
export interface Progress {
  /**
   * Adds what is done. Throws if the operator has interrupted the work. `share` is the part of all of it that is done
   * by now, from 0 to 1; 0 if nobody knows.
   */
  add(rows: number, bytes: number, what: string, share: number): void
  /** All that was added, and how fast. */
  summary(): string
}

export const count = (n: number): string => n.toLocaleString('en-US')

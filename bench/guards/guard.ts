/** What guards the operations that race, and how it is taken out: see bench/without-guards.ts and docs/acidrain.md. */

/** Replaces a text of a file, or changes the database after its migrations. */
export type Cut =
  | { readonly file: string; readonly text: string; readonly without: string }
  | { readonly sql: string }

export interface Guard {
  /** As docs/acidrain.md names it. */
  readonly name: string
  readonly cuts: readonly Cut[]
  /** The tests that must fail without it, by folder or file: the beginnings of their titles. */
  readonly tests: Readonly<Record<string, readonly string[]>>
}

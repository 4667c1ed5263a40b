/** Adds a value to a statement, and returns its placeholder. */
export type Bind = (value: unknown) => string

/** Collects the values of a statement and returns their placeholders: a value is never part of the text. */
export class Binds {
  readonly values: unknown[]

  constructor(values: readonly unknown[]) {
    this.values = [...values]
  }

  readonly bind: Bind = (value) => `$${this.values.push(value)}`
}

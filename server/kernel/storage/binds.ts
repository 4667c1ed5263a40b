/** Collects the values of a statement and returns their placeholders: a value is never part of the text. */
export class Binds {
  readonly values: unknown[]

  constructor(values: readonly unknown[]) {
    this.values = [...values]
  }

  readonly bind = (value: unknown): string => `$${this.values.push(value)}`
}

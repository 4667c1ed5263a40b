/** Collects a statement's values and hands out their placeholders: a value never enters the text. */
export class Binds {
  readonly values: unknown[]

  constructor(values: readonly unknown[]) {
    this.values = [...values]
  }

  readonly bind = (value: unknown): string => `$${this.values.push(value)}`
}

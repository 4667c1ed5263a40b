const examplesMax = 3

interface Tally {
  read: number
  written: number
  changed: number
  readonly skipped: Map<string, { n: number; readonly examples: string[] }>
}

/** What became of the objects of each list. */
export class CopyReport {
  readonly #tallies = new Map<string, Tally>()
  readonly remarks = new Set<string>()

  #of(name: string): Tally {
    const tally = this.#tallies.get(name) ?? { read: 0, written: 0, changed: 0, skipped: new Map() }
    this.#tallies.set(name, tally)
    return tally
  }

  read(name: string): void {
    this.#of(name).read += 1
  }

  written(name: string): void {
    this.#of(name).written += 1
  }

  changed(name: string): void {
    this.#of(name).changed += 1
  }

  skip(name: string, reason: string, example: string): void {
    const { skipped } = this.#of(name)
    const skip = skipped.get(reason) ?? { n: 0, examples: [] }
    skipped.set(reason, skip)
    skip.n += 1
    if (skip.examples.length < examplesMax) skip.examples.push(example)
  }

  get skipped(): number {
    return [...this.#tallies.values()]
      .flatMap(({ skipped }) => [...skipped.values()])
      .reduce((n, one) => n + one.n, 0)
  }

  lines(): readonly string[] {
    const rows = [...this.#tallies].filter(([, { read }]) => read > 0)
    return [
      ...rows.flatMap(([name, { read, written, changed, skipped }]) => [
        `${name}: ${count(read)} read, ${count(written)} created, ${count(changed)} updated`,
        ...[...skipped].map(
          ([reason, { n, examples }]) => `  ${count(n)} skipped: ${reason} (${examples.join(', ')})`,
        ),
      ]),
      ...this.remarks,
    ]
  }
}

const count = (n: number): string => n.toLocaleString('en-US')

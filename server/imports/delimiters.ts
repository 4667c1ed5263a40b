/** What cells may be separated by; where a header fits several equally well, the first one counts. */
export const delimiters = [',', ';', '\t'] as const

export type Delimiter = (typeof delimiters)[number]

const nouns: Readonly<Record<Delimiter, string>> = { ',': 'commas', ';': 'semicolons', '\t': 'tabs' }

export const delimiterNoun = (delimiter: Delimiter): string => nouns[delimiter]

/** What a header of these files must have. */
export interface HeaderNames {
  readonly required: readonly string[]
  /** The name of a column as `required` writes it. */
  columnKey(name: string): string
}

/** A header that was split at every delimiter there is: its parts, and the delimiter behind each but the last. */
interface SplitHeader {
  readonly parts: readonly string[]
  readonly separators: readonly Delimiter[]
}

/** The delimiter of a file: the one that gives most of the columns that a header must have, then most columns. */
export function chooseDelimiter(
  header: SplitHeader,
  names: HeaderNames,
): {
  readonly delimiter: Delimiter
  readonly cells: readonly string[]
} {
  const [best = ','] = delimiters
    .map((delimiter) => ({ delimiter, score: scoreOf(joined(header, delimiter), names) }))
    .toSorted((one, other) => other.score - one.score)
    .map(({ delimiter }) => delimiter)
  return { delimiter: best, cells: joined(header, best) }
}

/** The cells of a header that is split at one delimiter only. */
function joined({ parts, separators }: SplitHeader, delimiter: Delimiter): readonly string[] {
  const cells: string[] = []
  let open = ''
  for (const [i, part] of parts.entries()) {
    open += part
    const separator = separators[i]
    if (separator === undefined || separator === delimiter) {
      cells.push(open)
      open = ''
    } else {
      open += separator
    }
  }
  return cells
}

function scoreOf(cells: readonly string[], { required, columnKey }: HeaderNames): number {
  const names = new Set(cells.map(columnKey))
  const found = required.filter((name) => names.has(name)).length
  return found + cells.length / 10_000
}

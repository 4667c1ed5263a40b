/** The delimiters, in the order of preference. */
export const delimiters = [',', ';', '\t'] as const

export type Delimiter = (typeof delimiters)[number]

const nouns: Readonly<Record<Delimiter, string>> = { ',': 'commas', ';': 'semicolons', '\t': 'tabs' }

export const nameDelimiter = (delimiter: Delimiter): string => nouns[delimiter]

/** The columns that every file of a format has. */
export interface HeaderNames {
  readonly required: readonly string[]
  /** Writes the name of a column as `required` does. */
  columnKey(name: string): string
}

/** A header, split at every possible delimiter: its parts, and the delimiter after each part but the last. */
interface SplitHeader {
  readonly parts: readonly string[]
  readonly separators: readonly Delimiter[]
}

/** Chooses the delimiter that gives most of the required columns, then the one that gives most columns. */
export function chooseDelimiter(
  header: SplitHeader,
  names: HeaderNames,
): {
  readonly delimiter: Delimiter
  readonly cells: readonly string[]
} {
  const [best = ','] = delimiters
    .map((delimiter) => ({ delimiter, score: scoreHeader(joinCells(header, delimiter), names) }))
    .toSorted((one, other) => other.score - one.score)
    .map(({ delimiter }) => delimiter)
  return { delimiter: best, cells: joinCells(header, best) }
}

/** The cells of the header, if only one delimiter splits it. */
function joinCells({ parts, separators }: SplitHeader, delimiter: Delimiter): readonly string[] {
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

function scoreHeader(cells: readonly string[], { required, columnKey }: HeaderNames): number {
  const names = new Set(cells.map(columnKey))
  const matches = required.filter((name) => names.has(name)).length
  return matches + cells.length / 10_000
}

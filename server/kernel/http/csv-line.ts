/** A line of a file (RFC 4180). */
export const toCsvLine = (cells: readonly string[]): string => `${cells.map(toCsvCell).join(',')}\r\n`

/** Quotes semicolons and tabs too, so that an import does not take them for the delimiter. */
export const toCsvCell = (cell: string): string =>
  /[",;\t\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell

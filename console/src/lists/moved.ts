/** A column one place nearer to the front (-1) or to the back (1). */
export function moved(columns: readonly string[], path: string, step: -1 | 1): readonly string[] {
  const from = columns.indexOf(path)
  const to = from + step
  if (from < 0 || to < 0 || to >= columns.length) return columns
  return columns.with(from, columns[to] ?? path).with(to, path)
}

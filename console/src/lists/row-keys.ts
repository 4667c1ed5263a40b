const rowsOf = (table: HTMLElement) => [...table.querySelectorAll<HTMLElement>('tbody tr')]

const focusedRow = (rows: readonly HTMLElement[]) =>
  rows.findIndex((row) => row.contains(document.activeElement))

/** Puts the focus on the next row (1), or the one before (-1): on its link, which Enter opens. */
export function moveFocus(table: HTMLElement | null, step: 1 | -1): void {
  if (!table) return
  const rows = rowsOf(table)
  const at = focusedRow(rows)
  const next = at < 0 ? (step > 0 ? 0 : rows.length - 1) : Math.min(Math.max(at + step, 0), rows.length - 1)
  const row = rows[next]
  const target = row?.querySelector<HTMLElement>('a') ?? row?.querySelector<HTMLElement>('input')
  target?.focus()
  row?.scrollIntoView({ block: 'nearest' })
}

/** Selects the row that has the focus, or no longer. */
export function toggleFocused(table: HTMLElement | null): void {
  if (!table) return
  const rows = rowsOf(table)
  rows[focusedRow(rows)]?.querySelector<HTMLInputElement>('input[type="checkbox"]')?.click()
}

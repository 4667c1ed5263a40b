import type { Fields } from '../shape/fields.ts'
import type { Row } from '../shape/model.ts'
import { isComplete, type ListedRow, LongRow } from '../storage/listed-rows.ts'
import { nextTurn } from '../work/in-turns.ts'

/** The rows in their order: the short ones together, and each long one by itself. Other work runs between them. */
export async function* portionsOf<F extends Fields>(
  rows: readonly ListedRow<F>[],
): AsyncGenerator<readonly Row<F>[]> {
  let portion: Row<F>[] = []
  for (const row of rows) {
    if (!(row instanceof LongRow)) {
      portion.push(row)
      continue
    }
    if (portion.length) yield portion
    portion = []
    const whole = await row.read()
    await nextTurn()
    if (whole) yield [whole]
  }
  if (portion.length) yield portion
}

/** All rows, however long. Those that are gone are left out. */
export async function readRows<F extends Fields>(rows: readonly ListedRow<F>[]): Promise<readonly Row<F>[]> {
  if (isComplete(rows)) return rows
  const all: Row<F>[] = []
  for await (const portion of portionsOf(rows)) all.push(...portion)
  return all
}

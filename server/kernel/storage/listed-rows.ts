import type { Fields } from '../shape/fields.ts'
import type { Model, Row } from '../shape/model.ts'
import type { Tuple } from './database.ts'
import type { Store } from './store.ts'
import { isCut } from './stored-row.ts'

/**
 * A row of a page that is too long to be read together with others: a hundred of them would fill the memory of the
 * process. It is read when it is shown.
 */
export class LongRow<F extends Fields = Fields> {
  readonly id: string
  /** Reads the row; undefined if it is gone. */
  readonly read: () => Promise<Row<F> | undefined>

  constructor(id: string, read: () => Promise<Row<F> | undefined>) {
    this.id = id
    this.read = read
  }
}

/**
 * The rows of a page, from columns that begin at `at`, with values of at most `charsMax` characters. Undefined if the
 * added fields have changed since: see `Store.rowsOf`.
 */
export async function listedRows<F extends Fields>(
  store: Store,
  of: Model<F>,
  tuples: readonly Tuple[],
  { at, charsMax }: { readonly at: number; readonly charsMax: number },
  read: (id: string) => Promise<Row<F> | undefined>,
): Promise<readonly ListedRow<F>[] | undefined> {
  const isLong = (tuple: Tuple) => isCut(of, tuple, at, charsMax)
  const short = tuples.filter((tuple) => !isLong(tuple))
  const rows = await store.rowsOf(of, short, at)
  if (!rows || short.length === tuples.length) return rows
  const next = rows[Symbol.iterator]()
  return tuples.map((tuple) => {
    const id = tuple[at] as string
    return isLong(tuple) ? new LongRow(id, () => read(id)) : (next.next().value as Row<F>)
  })
}

/** A row of a page, or the promise of one. */
export type ListedRow<F extends Fields = Fields> = Row<F> | LongRow<F>

export const isComplete = <F extends Fields>(rows: readonly ListedRow<F>[]): rows is readonly Row<F>[] =>
  !rows.some((row) => row instanceof LongRow)

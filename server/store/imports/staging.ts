import type { Work } from '../../kernel/work/context.ts'
import type { Chore } from '../../kernel/work/job.ts'

/**
 * The rows of a file wait in a table of their module until the job has imported them. The table has `store_id`,
 * `import_id`, `received_at` and `line`, the number of the row in its file.
 */

const keepMs = 30 * 86_400_000

/** How many rows, or characters of rows, are stored by one statement. */
const statementMax = { rows: 1000, characters: 1_000_000 }

/** Collects rows until there are enough for one statement. */
export class RowBatch<T> {
  readonly #store: (rows: readonly T[]) => Promise<unknown>
  #rows: T[] = []
  #characters = 0

  constructor(store: (rows: readonly T[]) => Promise<unknown>) {
    this.#store = store
  }

  async add(row: T, characters: number): Promise<void> {
    this.#rows.push(row)
    this.#characters += characters
    if (this.#rows.length >= statementMax.rows || this.#characters >= statementMax.characters) {
      await this.flush()
    }
  }

  /** Stores the rows that remain. */
  async flush(): Promise<void> {
    if (this.#rows.length) await this.#store(this.#rows)
    this.#rows = []
    this.#characters = 0
  }
}

export async function dropStaged({ store }: Work, table: string, importId: string): Promise<void> {
  await store.runLong(`DELETE FROM ${table} WHERE store_id = $1 AND import_id = $2`, importId)
}

/** Deletes rows of all stores that no job has imported: it was cancelled, or never started. */
export const forgetStagedRows = ({
  table,
  ...chore
}: Pick<Chore, 'name' | 'every'> & { readonly table: string }): Chore => ({
  ...chore,
  attemptsMax: 3,
  run: async ({ database, clock }) => {
    await database.run({
      text: `DELETE FROM ${table} WHERE received_at < $1`,
      values: [new Date(clock.now().getTime() - keepMs)],
      long: true,
    })
  },
})

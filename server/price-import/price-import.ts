import { pimJob } from '../jobs/index.ts'
import { Problem } from '../kernel/errors.ts'
import type { Work } from '../kernel/work/context.ts'
import type { ImportLine } from './import-line.ts'
import { dropStaged, refusalsOf, stagedLines } from './staged-lines.ts'
import { writePricebooks, writePrices } from './write-lines.ts'

interface Asked {
  readonly importId: string
  /** How many there are in all. */
  readonly lines: number
}

/** What is being written, up to which line, and how many lines are done. */
interface State {
  readonly about: ImportLine['about']
  readonly line: number
  readonly done: number
}

/** Writes what the lines of a file say: price books first, then prices, so many lines in one transaction. */
export const priceImportOf = (perPart: number) =>
  pimJob<Asked, State>({
    type: 'price-import',
    async run(work, { payload: { importId, lines: of }, state }) {
      const end = async (done: number, ...errors: readonly string[]) => {
        await dropStaged(work, importId)
        return { errors, told: { progress: { done, of } } }
      }
      if (!state) {
        const refused = await refusalsOf(work, importId)
        if (refused.length) return end(0, ...refused)
        return { next: { about: 'pricebook', line: 0, done: 0 }, told: { progress: { done: 0, of } } }
      }
      const { about, line } = state
      const staged = await stagedLines(work, importId, about, line, perPart)
      const refused = await refusedOf(work, () =>
        about === 'pricebook' ? writePricebooks(work, importId, staged) : writePrices(work, importId, staged),
      )
      if (refused) return end(state.done, ...refused)
      const done = state.done + staged.length
      const told = { progress: { done, of } }
      if (staged.length === perPart) return { next: { about, line: staged.at(-1)?.line ?? line, done }, told }
      if (about === 'pricebook') return { next: { about: 'product-price', line: 0, done }, told }
      return end(done)
    },
  })

/** Writes lines, all or none: why none. */
async function refusedOf(
  { store }: Work,
  write: () => Promise<void>,
): Promise<readonly string[] | undefined> {
  try {
    await store.attempt(write)
    return undefined
  } catch (error) {
    if (error instanceof Problem && error.code === 'unprocessable')
      return error.all.map(({ message }) => message)
    throw error
  }
}

export const priceImport = priceImportOf(1000)

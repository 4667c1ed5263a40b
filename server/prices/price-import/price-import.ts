import { Problem } from '../../kernel/errors.ts'
import type { Work } from '../../kernel/work/context.ts'
import { importJob } from '../../store/index.ts'
import { findFaults, type LinePlace, readStagedLines, type StagedLine, table } from './staged-lines.ts'
import { writePricebooks, writePrices } from './write-lines.ts'

interface PriceImport {
  readonly importId: string
  /** How many lines the file has. */
  readonly lines: number
}

const beginning: LinePlace = { about: 'pricebook', line: 0 }

/** Writes price books first, then prices. The first line that cannot be written ends the import. */
export const priceImportOf = (linesPerPart: number) =>
  importJob<PriceImport, StagedLine, LinePlace>({
    type: 'price-import',
    table,
    totalOf: ({ lines }) => lines,
    check: (work, { importId }) => findFaults(work, importId),
    read: (work, { importId }, behind = beginning) => readStagedLines(work, importId, behind, linesPerPart),
    placeOf: ({ about, number }) => ({ about, line: number }),
    async write(work, { importId }, lines) {
      const write = lines[0]?.about === 'pricebook' ? writePricebooks : writePrices
      const errors = await writeAllOrNone(work, () => write(work, importId, lines))
      return { errors, isOver: errors.length > 0 }
    },
  })

/** Writes all lines, or none: then it returns why. */
async function writeAllOrNone({ store }: Work, write: () => Promise<void>): Promise<readonly string[]> {
  try {
    await store.attempt(write)
    return []
  } catch (error) {
    if (error instanceof Problem && error.code === 'unprocessable') {
      return error.all.map(({ message }) => message)
    }
    throw error
  }
}

export const priceImport = priceImportOf(1000)

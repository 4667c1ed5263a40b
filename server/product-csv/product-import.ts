import { ownKept } from '../kernel/added-fields.ts'
import type { Work } from '../kernel/context.ts'
import { Problem } from '../kernel/errors.ts'
import { pimJob } from '../pim-jobs/index.ts'
import { products } from '../products/index.ts'
import type { Locale } from './cell-values.ts'
import { columnsOf } from './columns.ts'
import { keepImages } from './images.ts'
import { importRow } from './import-row.ts'
import { attempt, type Fail, findTargets, thoseApart } from './row-targets.ts'
import { dropStaged, stagedRows } from './staged-rows.ts'
import { templateColumns } from './template-columns.ts'
import { writeRows } from './write-rows.ts'

/** Rows that are one part of the job: in one transaction. */
const perPart = 1000

interface Asked {
  readonly importId: string
  readonly header: readonly string[]
  /** How many there are in all. */
  readonly rows: number
  readonly locale: Locale | undefined
}

/** How far it is: the line that was the last, and how many rows that were. */
interface State {
  readonly line: number
  readonly done: number
}

/** Makes products of the rows of a file. Each is written by the rules of a request; those that fail are told. */
export const productImport = pimJob<Asked, State>({
  type: 'product-import',
  async run(work, { payload: asked, state = { line: 1, done: 0 } }) {
    const { importId, rows: of } = asked
    const staged = await stagedRows(work, importId, state.line, perPart)
    const done = state.done + staged.length
    const errors = await importRows(work, asked, staged)
    const told = { progress: { done, of } }
    if (staged.length === perPart) return { next: { line: staged.at(-1)?.line ?? 0, done }, errors, told }
    await dropStaged(work, importId)
    return { errors, told }
  },
})

type Staged = Awaited<ReturnType<typeof stagedRows>>

/** Imports rows in their order; why those failed that did. */
async function importRows(work: Work, { header, locale }: Asked, staged: Staged): Promise<string[]> {
  const errors: [line: number, message: string][] = []
  const fail: Fail = ({ line }, error) => errors.push([line, messageOf(line, error)])
  const columns = columnsOf(header)
  const read = staged.flatMap((row) => attempt(() => importRow(columns, row.line, row.cells), row, fail))
  // In the order that others lock them in: what is referred to before the products that refer to it.
  const part = {
    templates: await templateColumns(work, columns),
    own: await ownKept(work, products, []),
    images: await keepImages(work, read),
    locale,
    fail,
  }
  for (let rest = read; rest.length; ) {
    const targets = await findTargets(work, rest, fail)
    const apart = thoseApart(rest, targets)
    await writeRows(work, part, rest.slice(0, apart), targets)
    rest = rest.slice(apart)
  }
  return errors.toSorted(([one], [other]) => one - other).map(([, message]) => message)
}

/** Where the file is wrong: the columns are named as members of a request's attributes. */
function messageOf(line: number, error: unknown): string {
  if (!(error instanceof Problem)) throw error
  const plain = (text: string) => text.replaceAll('data.attributes.', '').replace(/^data\./, '')
  const column = error.source && plain(error.source)
  const message = plain(error.message)
  const told = column && message.startsWith(`${column}: `) ? message.slice(column.length + 2) : message
  return `line ${line}${column ? `, column ${column}` : ''}: ${told}`
}

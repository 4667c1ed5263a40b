import type { Readable } from 'node:stream'
import { linesOf, type NumberedRow, RowBatch, type TextLine, unpack } from '../imports/index.ts'
import { Problem } from '../kernel/errors.ts'
import type { Work } from '../kernel/work/context.ts'
import { faultsMax } from '../kernel/write/faults.ts'
import { type ImportLine, importLine, targetOf } from './import-line.ts'

/** Lines of a file that wait to be imported. */

export const table = 'price_import_lines'

type About = ImportLine['about']

interface Staged {
  readonly line: number
  readonly about: About | ''
  readonly target: string
  readonly said: string
}

/** Stores the lines of a file as it comes: how many, and whether it was packed. */
export async function stageLines(
  work: Work,
  importId: string,
  file: Readable,
): Promise<{ readonly lines: number; readonly isGzip: boolean }> {
  const { isGzip, content } = await unpack(file)
  const batch = new RowBatch<Staged>((rows) => storeLines(work, importId, rows))
  let lines = 0
  for await (const line of linesOf(content)) {
    lines += 1
    const staged = stagedLine(line)
    await batch.add(staged, staged.said.length)
  }
  await batch.flush()
  return { lines, isGzip }
}

/** What cannot be read is told by the job, as what cannot be written is. */
function stagedLine({ line, text }: TextLine): Staged {
  try {
    const read = importLine(text)
    return { line, about: read.about, target: targetOf(read), said: JSON.stringify(read) }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return { line, about: '', target: String(line), said: JSON.stringify({ refused: error.message }) }
  }
}

async function storeLines({ store, clock }: Work, importId: string, lines: readonly Staged[]): Promise<void> {
  await store.bulk(
    `INSERT INTO ${table} (store_id, import_id, received_at, line, about, target, said)
     SELECT $1::uuid, $2::uuid, $3::timestamptz, given.* FROM unnest($4::int[], $5::text[], $6::text[], $7::json[]) AS given`,
    importId,
    clock.now(),
    lines.map(({ line }) => line),
    lines.map(({ about }) => about),
    lines.map(({ target }) => target),
    lines.map(({ said }) => said),
  )
}

/** What is wrong with the first lines that cannot be read, or are about what one before them is about. */
export async function refusalsOf({ store }: Work, importId: string): Promise<readonly string[]> {
  const found = await store.bulk(
    `SELECT line, said->>'refused', first FROM (
       SELECT line, about, said, min(line) OVER (PARTITION BY target) AS first
       FROM ${table} WHERE store_id = $1 AND import_id = $2
     ) one WHERE about = '' OR first < line ORDER BY line LIMIT ${faultsMax}`,
    importId,
  )
  return found.map(([line, refused, first]) => `line ${line}: ${refused ?? sameAs(Number(first))}`)
}

export const sameAs = (line: number): string =>
  `duplicate external ref found: line ${line} is about the same object.`

/** The first line of a file that is about each of these targets. */
export async function linesAbout(
  { store }: Work,
  importId: string,
  targets: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (!targets.length) return new Map()
  const found = await store.rows(
    `SELECT target, min(line) FROM ${table}
     WHERE store_id = $1 AND import_id = $2 AND target = ANY($3::text[]) GROUP BY target`,
    importId,
    targets,
  )
  return new Map(found.map(([target, line]) => [target as string, Number(line)]))
}

export interface StagedLine extends ImportLine, NumberedRow {}

/** Price books come before prices. */
export interface LinePlace {
  readonly about: About
  readonly line: number
}

/** The next lines behind a line: all about price books, or all about prices. */
export async function stagedLines(
  { store }: Work,
  importId: string,
  { about, line }: LinePlace,
  most: number,
): Promise<readonly StagedLine[]> {
  const rows = await store.rows(
    `SELECT line, said, about FROM ${table} WHERE store_id = $1 AND import_id = $2 AND (about, line) > ($3, $4)
     ORDER BY about, line LIMIT $5`,
    importId,
    about,
    line,
    most,
  )
  return rows
    .filter((row) => row[2] === rows[0]?.[2])
    .map(([line, said]) => ({ ...(JSON.parse(said as string) as ImportLine), number: Number(line) }))
}

import type { Readable } from 'node:stream'
import { Problem } from '../kernel/errors.ts'
import type { Work } from '../kernel/work/context.ts'
import { faultsMax } from '../kernel/write/faults.ts'
import { type ImportLine, importLine, targetOf } from './import-line.ts'
import { linesOf, type TextLine, unpack } from './lines-of.ts'

/** Lines of a file that wait to be imported. */

/** As many as are stored in one statement: so many lines, or so many characters. */
const perStatement = { lines: 1000, characters: 1_000_000 }

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
  let [lines, characters] = [0, 0]
  let waiting: Staged[] = []
  const store = async () => {
    await storeLines(work, importId, waiting)
    ;[waiting, characters] = [[], 0]
  }
  for await (const line of linesOf(content)) {
    lines += 1
    const staged = stagedLine(line)
    waiting.push(staged)
    characters += staged.said.length
    if (waiting.length >= perStatement.lines || characters >= perStatement.characters) await store()
  }
  await store()
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
  if (!lines.length) return
  await store.bulk(
    `INSERT INTO price_import_lines (store_id, import_id, received_at, line, about, target, said)
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
       FROM price_import_lines WHERE store_id = $1 AND import_id = $2
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
    `SELECT target, min(line) FROM price_import_lines
     WHERE store_id = $1 AND import_id = $2 AND target = ANY($3::text[]) GROUP BY target`,
    importId,
    targets,
  )
  return new Map(found.map(([target, line]) => [target as string, Number(line)]))
}

export interface StagedLine extends ImportLine {
  readonly line: number
}

/** Some lines about price books, or about prices, behind a line. */
export async function stagedLines(
  { store }: Work,
  importId: string,
  about: About,
  behind: number,
  most: number,
): Promise<readonly StagedLine[]> {
  const rows = await store.rows(
    `SELECT line, said FROM price_import_lines WHERE store_id = $1 AND import_id = $2 AND about = $3 AND line > $4
     ORDER BY line LIMIT $5`,
    importId,
    about,
    behind,
    most,
  )
  return rows.map(([line, said]) => ({ ...(JSON.parse(said as string) as ImportLine), line: Number(line) }))
}

export async function dropStaged({ store }: Work, importId: string): Promise<void> {
  await store.bulk('DELETE FROM price_import_lines WHERE store_id = $1 AND import_id = $2', importId)
}

import type { Readable } from 'node:stream'
import { faultsMax } from '../../kernel/body/faults.ts'
import { Problem } from '../../kernel/errors.ts'
import type { Work } from '../../kernel/work/context.ts'
import { type NumberedRow, RowBatch, readLines, type TextLine, unpack } from '../../store/index.ts'
import { type ImportLine, parseLine, toTarget } from './import-line.ts'

export const table = 'price_import_lines'

type LineSubject = ImportLine['about']

/** A row of the table of staged lines. */
interface LineToStage {
  readonly line: number
  readonly about: LineSubject | ''
  readonly target: string
  readonly content: string
}

/** Stores the lines of a file while it arrives. Returns how many there are, and whether the file was compressed. */
export async function stageLines(
  work: Work,
  importId: string,
  file: Readable,
): Promise<{ readonly lines: number; readonly isGzip: boolean }> {
  const { isGzip, content } = await unpack(file)
  const batch = new RowBatch<LineToStage>((rows) => storeLines(work, importId, rows))
  let lines = 0
  for await (const line of readLines(content)) {
    lines += 1
    const staged = stageLine(line)
    await batch.add(staged, staged.content.length)
  }
  await batch.flush()
  return { lines, isGzip }
}

/** A line that cannot be read is staged too: the job reports it. */
function stageLine({ line, text }: TextLine): LineToStage {
  try {
    const read = parseLine(text)
    return { line, about: read.about, target: toTarget(read), content: JSON.stringify(read) }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return { line, about: '', target: String(line), content: JSON.stringify({ refused: error.message }) }
  }
}

async function storeLines(
  { store, clock }: Work,
  importId: string,
  lines: readonly LineToStage[],
): Promise<void> {
  await store.runLong(
    `INSERT INTO ${table} (store_id, import_id, received_at, line, about, target, content)
     SELECT $1::uuid, $2::uuid, $3::timestamptz, input.* FROM unnest($4::int[], $5::text[], $6::text[], $7::json[]) AS input`,
    importId,
    clock.now(),
    lines.map(({ line }) => line),
    lines.map(({ about }) => about),
    lines.map(({ target }) => target),
    lines.map(({ content }) => content),
  )
}

/** Finds lines that cannot be read, or name the same object as an earlier line. */
export async function findFaults({ store }: Work, importId: string): Promise<readonly string[]> {
  const rows = await store.runLong(
    `SELECT line, content->>'refused', first FROM (
       SELECT line, about, content, min(line) OVER (PARTITION BY target) AS first
       FROM ${table} WHERE store_id = $1 AND import_id = $2
     ) one WHERE about = '' OR first < line ORDER BY line LIMIT ${faultsMax}`,
    importId,
  )
  return rows.map(([line, refused, first]) => `line ${line}: ${refused ?? duplicateOf(Number(first))}`)
}

export const duplicateOf = (line: number): string =>
  `duplicate external ref found: line ${line} names the same object.`

/** The first line of the file for each of these targets. */
export async function findFirstLines(
  { store }: Work,
  importId: string,
  targets: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (!targets.length) return new Map()
  const rows = await store.run(
    `SELECT target, min(line) FROM ${table}
     WHERE store_id = $1 AND import_id = $2 AND target = ANY($3::text[]) GROUP BY target`,
    importId,
    targets,
  )
  return new Map(rows.map(([target, line]) => [target as string, Number(line)]))
}

export interface StagedLine extends ImportLine, NumberedRow {}

/** Price books come before prices. */
export interface LinePlace {
  readonly about: LineSubject
  readonly line: number
}

/** Reads the next lines after a line: only price books, or only prices. */
export async function readStagedLines(
  { store }: Work,
  importId: string,
  { about, line }: LinePlace,
  most: number,
): Promise<readonly StagedLine[]> {
  const rows = await store.run(
    `SELECT line, content, about FROM ${table} WHERE store_id = $1 AND import_id = $2 AND (about, line) > ($3, $4)
     ORDER BY about, line LIMIT $5`,
    importId,
    about,
    line,
    most,
  )
  return rows
    .filter((row) => row[2] === rows[0]?.[2])
    .map(([line, content]) => ({ ...(JSON.parse(content as string) as ImportLine), number: Number(line) }))
}

import { open } from '../api/client.ts'
import { termOf } from '../api/terms.ts'
import { idOnLine, LineCounter, type LineFormat, mediaTypes } from './lines.ts'

export interface ExportedList {
  readonly listPath: string
  readonly filter?: string | undefined
  readonly sort?: string | undefined
  readonly format: LineFormat
}

/** What has been exported so far. */
export interface Exported {
  readonly file: Blob
  readonly sent: number
  readonly total: number | undefined
  /** The id of the last object. */
  readonly lastId: string | undefined
  /** Why it ended before its end. */
  readonly error?: unknown
}

export const nothingExported: Exported = { file: new Blob(), sent: 0, total: undefined, lastId: undefined }

export const exportPath = ({ listPath, filter, sort }: ExportedList): string => {
  const query = new URLSearchParams({ ...(sort && { sort }), ...(filter && { filter }) })
  return query.size ? `${listPath}?${query}` : listPath
}

/** An export that broke off can only go on where each object has a place after the one before. */
export const canGoOn = ({ sort }: ExportedList, { lastId }: Exported): boolean =>
  sort === 'id' && lastId !== undefined

/** Chunks are put into files, which browsers keep on the disk, as soon as they are so many bytes. */
const heldMax = 8_000_000

/**
 * Exports what a list shows, after what was exported before. If it breaks off, the whole lines that came are the result,
 * with the error.
 */
export async function exportList(
  list: ExportedList,
  before: Exported,
  signal: AbortSignal,
  onProgress: (sent: number, total: number | undefined) => void,
): Promise<Exported> {
  const { format, filter } = list
  const counter = new LineCounter(format)
  const rest = before.lastId === undefined ? '' : termOf('gt', 'id', before.lastId)
  const wanted = rest && filter ? `(${filter}):${rest}` : rest || filter
  let { total } = before
  let held: Uint8Array<ArrayBuffer>[] = []
  let file = new Blob()
  let error: unknown
  try {
    const path = exportPath({ ...list, filter: wanted })
    const { headers, body } = await open({ path, headers: { accept: mediaTypes[format] }, signal })
    total = before.sent + Number(headers.get('sutler-total-count') ?? Number.NaN)
    if (Number.isNaN(total)) total = undefined
    for await (const chunk of chunksOf(body)) {
      counter.add(chunk)
      held.push(chunk)
      if (held.reduce((sum, { length }) => sum + length, 0) > heldMax) {
        file = new Blob([file, ...held])
        held = []
      }
      onProgress(before.sent + Math.max(counter.lines, 0), total)
    }
  } catch (thrown) {
    error = thrown
  }
  const all = new Blob([file, ...held])
  const header = format === 'csv' ? await all.slice(0, counter.firstEnd).text() : ''
  const last = await all.slice(counter.lastStart, counter.lastEnd).text()
  // What goes on has the header already.
  const start = before.sent > 0 && format === 'csv' ? counter.firstEnd : 0
  const sent = Math.max(counter.lines, 0)
  return {
    file: new Blob([before.file, all.slice(start, counter.lastEnd)], { type: mediaTypes[format] }),
    sent: before.sent + sent,
    total,
    lastId: sent > 0 ? idOnLine(format, header, last) : before.lastId,
    ...(error !== undefined && { error }),
  }
}

async function* chunksOf(stream: ReadableStream<Uint8Array<ArrayBuffer>> | null) {
  const reader = stream?.getReader()
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) yield part.value
}

/** Gives a file to the person, as a download. */
export function saveFile(file: Blob, name: string): void {
  const url = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Unavailable } from '../faults.ts'
import { codeOf } from '../postgres/pid-file.ts'

/** The directory of drafts among the blobs; a backup leaves it out. */
export const draftsName = 'unfinished'

/** A complete file on the disk. */
interface DraftFile {
  readonly path: string
  readonly bytes: number
}

/** Writes a new file in the directory. If the content fails, the file is deleted. */
export async function writeDraft(directory: string, content: AsyncIterable<Uint8Array>): Promise<DraftFile> {
  const path = join(directory, randomUUID())
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 })
    const file = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true })
    await pipeline(Readable.from(content, { objectMode: false }), file)
    return { path, bytes: file.bytesWritten }
  } catch (error) {
    await rm(path, { force: true }).catch(() => {})
    throw storageFault(error)
  }
}

/** Faults that the operator must fix; the log has the details. */
const faults: readonly (readonly [detail: string, codes: readonly (string | undefined)[]])[] = [
  ['File storage has no space left; try again later.', ['ENOSPC', 'EDQUOT']],
  ['File storage cannot be written to; try again later.', ['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EIO']],
]

/** A refusal (503) if the disk is full or not writable; any other error as it is. */
export function storageFault(error: unknown): unknown {
  const [detail] = faults.find(([, codes]) => codes.includes(codeOf(error))) ?? []
  return detail === undefined ? error : new Unavailable(detail, { cause: error })
}

/** Deletes the files that were last written before a time. */
export async function forgetDrafts(directory: string, since: Date): Promise<void> {
  for (const name of await unlessGone(readdir(directory), [])) {
    const path = join(directory, name)
    const stats = await unlessGone(stat(path), undefined)
    if (stats && stats.mtime < since) await rm(path, { force: true })
  }
}

/** The result, or `without` if the file or directory does not exist. */
export async function unlessGone<T, D>(work: Promise<T>, without: D): Promise<T | D> {
  try {
    return await work
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return without
    throw error
  }
}

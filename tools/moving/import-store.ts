import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { isObject } from '../../server/kernel/body/input.ts'
import type { Clock } from '../../server/kernel/clock.ts'
import { isId } from '../../server/kernel/ids.ts'
import type { Database } from '../../server/kernel/storage/database.ts'
import { baselineIn, isBefore, namesAfter } from '../../server/kernel/upgrades/baseline.ts'
import { type Blobs, blobName } from '../../server/platform/blobs/blobs.ts'
import { StartupError, StartupRefusal } from '../../server/platform/faults.ts'
import { count, type Progress } from '../progress.ts'
import {
  type ArchiveEnd,
  type ArchiveHeader,
  endName,
  fileOf,
  format,
  headerName,
  jobsName,
  tableOf,
} from './archive-form.ts'
import { clearStore, mustBeEmpty, targetStore } from './empty-store.ts'
import { mustBeKnownJobs, type ServerJobs } from './known-jobs.ts'
import { StoreRows } from './store-rows.ts'
import { type ArchiveEntry, BrokenArchive, readTar, wholeOf } from './tar.ts'

interface Import {
  readonly database: Database
  readonly blobs: Blobs
  readonly clock: Clock
  readonly progress: Progress
  /** The jobs of this server: an archive may have no others. */
  readonly jobs: ServerJobs
  readonly path: string
  /** The store to replace, if there are several. */
  readonly storeId: string | undefined
}

/**
 * Replaces an empty store with the one in an archive. All rows come in one transaction: after an interruption the store
 * is as empty as before, and the files that were stored are not stored again.
 */
export async function importStore(parts: Import): Promise<readonly string[]> {
  const { path } = parts
  const file = await open(path).catch((error: Error) => {
    throw new StartupError(`cannot read ${path}: ${error.message}`)
  })
  try {
    const { size } = await file.stat()
    let bytesRead = 0
    const entries = readTar(file, (bytes) => {
      bytesRead += bytes
    })
    return await new StoreImport(parts, () => bytesRead / size).read(entries)
  } catch (error) {
    if (error instanceof BrokenArchive || isOfValue(error)) {
      throw new StartupRefusal(`${path} is damaged (${error.message}): export the store again`)
    }
    throw error
  } finally {
    await file.close()
  }
}

/** Whether it is an error of PostgreSQL about a value, or about a row that does not fit to others. */
const isOfValue = (error: unknown): error is Error =>
  error instanceof Error && /^2[23]...$/.test((error as NodeJS.ErrnoException).code ?? '')

/** An export writes parts of some megabytes, and one row more. */
const partBytesMax = 256 * 1024 * 1024

class StoreImport {
  readonly #parts: Import
  readonly #share: () => number
  readonly #hash = createHash('sha256')
  #files = 0

  constructor(parts: Import, share: () => number) {
    this.#parts = parts
    this.#share = share
  }

  async read(entries: AsyncGenerator<ArchiveEntry>): Promise<readonly string[]> {
    const { database, storeId } = this.#parts
    const header = await this.#header(entries)
    // Before anything is written, and again in the transaction that writes.
    const target = await targetStore(database, header.store.id, storeId)
    await mustBeEmpty(database, target)
    const first = await this.#readFiles(entries, header.store.id)
    const rows = await database.transaction(async (connection) => {
      const run = connection.run.bind(connection)
      const store = new StoreRows(run, header.store.id)
      await store.open()
      await mustBeEmpty(connection, target)
      const keys = await clearStore(run, target, header)
      const end = await this.#readRows(entries, first, store)
      this.#mustBeComplete(end, store.rows)
      await store.close(keys)
      await this.#keepSecret(run, header)
      return store.rows
    })
    await database.run({ text: 'ANALYZE', values: [], once: true, long: true })
    const n = Object.values(rows).reduce((sum, some) => sum + some, 0)
    return [`${count(n)} rows and ${count(this.#files)} files`, ...(await this.#remarks(header))]
  }

  async #header(entries: AsyncGenerator<ArchiveEntry>): Promise<ArchiveHeader> {
    const { value: entry } = await entries.next()
    if (entry?.name !== headerName) throw new BrokenArchive(`it does not begin with ${headerName}`)
    const content = await this.#hashedWhole(entry)
    const header = objectIn<ArchiveHeader>(entry, content)
    if (header.format !== format) {
      throw new StartupRefusal(
        `the archive has the format ${header.format}, and this version of Sutler reads ${format}: use the version that wrote it`,
      )
    }
    if (!isHeader(header)) throw new BrokenArchive(`${headerName} lacks a member`)
    const applied = await this.#parts.database.run({ text: 'SELECT name FROM migrations', values: [] })
    const here = new Set(applied.map(([name]) => name as string))
    const baseline = await baselineIn()
    const there = new Set(namesAfter(baseline, header.migrations))
    const older = [...here].find((name) => !there.has(name))
    const newer = [...there].find((name) => !here.has(name) && !isBefore(baseline, name))
    if (newer) {
      throw new StartupRefusal(
        `a newer version of Sutler wrote the archive (it has ${newer}): install that version here, and import again`,
      )
    }
    if (older) {
      throw new StartupRefusal(
        `an older version of Sutler wrote the archive (it lacks ${older}): ` +
          'start this version once on the exported server, and export again; or import with the older version, and update after that',
      )
    }
    return header
  }

  async #hashedWhole(entry: ArchiveEntry): Promise<Buffer> {
    const content = await whole(entry)
    this.#hash.update(content)
    return content
  }

  /** Stores the files, and returns the entry after them. Files come first, so that no row is without its content. */
  async #readFiles(
    entries: AsyncGenerator<ArchiveEntry>,
    storeId: string,
  ): Promise<ArchiveEntry | undefined> {
    const { blobs, progress } = this.#parts
    const stored = new Map<string, number>()
    for await (const { name, bytes } of blobs.list()) stored.set(name, bytes)
    for (;;) {
      const { value: entry } = await entries.next()
      const id = entry && fileOf(entry.name)
      if (!entry || id === undefined) return entry
      const name = blobName(storeId, id)
      if (stored.get(name) === entry.bytes) {
        for await (const chunk of entry.content) this.#hash.update(chunk)
      } else {
        const draft = await blobs.draft(this.#hashed(entry.content))
        await draft.keep(name)
      }
      this.#files += 1
      progress.add(0, entry.bytes, 'files', this.#share())
    }
  }

  async *#hashed(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of content) {
      this.#hash.update(chunk)
      yield chunk
    }
  }

  async #readRows(
    entries: AsyncGenerator<ArchiveEntry>,
    first: ArchiveEntry | undefined,
    store: StoreRows,
  ): Promise<ArchiveEnd> {
    for (let entry = first; entry; entry = (await entries.next()).value) {
      if (entry.name === endName) return objectIn<ArchiveEnd>(entry, await whole(entry))
      const table = tableOf(entry.name)
      if (table === undefined) throw new BrokenArchive(`${entry.name} is unknown`)
      const content = await this.#hashedWhole(entry)
      mustBeKnownJobs(table, content, this.#parts.jobs, store.id)
      const n = table === jobsName ? await store.addJobs(content) : await store.add(table, content)
      this.#parts.progress.add(n, content.length, table, this.#share())
    }
    throw new BrokenArchive(`it does not end with ${endName}`)
  }

  #mustBeComplete(end: ArchiveEnd, rows: Readonly<Record<string, number>>): void {
    const wrong = Object.entries(end.rows ?? {}).find(([table, n]) => (rows[table] ?? 0) !== n)
    if (wrong) throw new BrokenArchive(`${wrong[0]} has ${rows[wrong[0]] ?? 0} rows in place of ${wrong[1]}`)
    if (end.files !== this.#files) throw new BrokenArchive(`${this.#files} files in place of ${end.files}`)
    if (end.sha256 !== this.#hash.digest('hex')) throw new BrokenArchive('its content was changed')
  }

  /** The next start refuses to run without the secret that the sealed values need. */
  async #keepSecret(run: Database['run'], { secret }: ArchiveHeader): Promise<void> {
    if (!secret) return
    await run({
      text: `INSERT INTO secrets (fingerprint, in_use_from)
        SELECT $1, least($2::timestamptz, (SELECT min(in_use_from) FROM secrets) - interval '1 millisecond')
        ON CONFLICT DO NOTHING`,
      values: [secret.fingerprint, secret.in_use_from],
    })
  }

  async #remarks({ secret }: ArchiveHeader): Promise<readonly string[]> {
    const [newest] = await this.#parts.database.run({
      text: 'SELECT fingerprint FROM secrets ORDER BY in_use_from DESC LIMIT 1',
      values: [],
    })
    if (!secret || newest?.[0] === secret.fingerprint) return []
    return [
      'Values of the store are sealed with the secret of the exported server: set SUTLER_PREVIOUS_SECRET to that secret, ' +
        'and start the server. Its log says when it is no longer needed.',
    ]
  }
}

/** The content of an entry that is held in memory. */
async function whole({ name, bytes, content }: ArchiveEntry): Promise<Buffer> {
  if (bytes > partBytesMax) throw new BrokenArchive(`${name} has ${bytes} bytes`)
  return wholeOf(content)
}

const isHeader = ({ migrations, store, organisation, secret }: ArchiveHeader): boolean =>
  Array.isArray(migrations) &&
  [store, organisation].every((one) => isObject(one) && isId(String(one.id)) && one.name !== undefined) &&
  (secret === null || isObject(secret))

/** The JSON object that an entry is. */
function objectIn<T extends object>({ name }: ArchiveEntry, content: Buffer): T {
  try {
    const value: unknown = JSON.parse(content.toString())
    if (isObject(value)) return value as T
  } catch {
    // It is refused like any other content that is no object.
  }
  throw new BrokenArchive(`${name} is no JSON object`)
}

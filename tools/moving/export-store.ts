import { createHash } from 'node:crypto'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import pg from 'pg'
import type { Clock } from '../../server/kernel/clock.ts'
import type { Sql } from '../../server/kernel/storage/database.ts'
import type { Blobs } from '../../server/platform/blobs/blobs.ts'
import { StartupRefusal } from '../../server/platform/faults.ts'
import { count, type Progress } from '../progress.ts'
import {
  type ArchiveHeader,
  endName,
  fileFolder,
  format,
  headerName,
  jobsName,
  partName,
} from './archive-form.ts'
import { linesOf } from './copy-out.ts'
import { jobsLeftBehind, leftBehind } from './left-behind.ts'
import { quoteName, type StoreTable, storeTables, type TableRun, uuidLiteral } from './store-tables.ts'
import { TarWriter } from './tar.ts'

/** What one part of a table holds at least. It is in memory as a whole when it is written, and when it is read. */
const partBytes = 4 * 1024 * 1024

interface Export {
  readonly url: string
  readonly blobs: Blobs
  readonly clock: Clock
  readonly progress: Progress
  /** The file to write. It appears when it is complete. */
  readonly path: string
  /** Needed if there are several stores. */
  readonly storeId: string | undefined
}

/** Writes a store into an archive: all of one moment, whatever is written meanwhile. Returns remarks. */
export async function exportStore(parts: Export): Promise<readonly string[]> {
  const { path } = parts
  const draft = `${path}.unfinished`
  const file = await createFile(path, draft)
  const client = new pg.Client({ connectionString: parts.url, application_name: 'sutler export' })
  try {
    await client.connect()
    await client.query(`SET TimeZone = 'UTC'`)
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    const remarks = await new StoreExport(parts, client, file).write()
    await client.query('COMMIT')
    await file.sync()
    await file.close()
    await rename(draft, path)
    await syncDirectory(dirname(path))
    return remarks
  } catch (error) {
    await file.close().catch(() => {})
    await rm(draft, { force: true })
    throw error
  } finally {
    await client.end().catch(() => {})
  }
}

/** What an interrupted export has left is written anew. */
async function createFile(path: string, draft: string): Promise<FileHandle> {
  const exists = await open(path).then(
    (file) => file.close().then(() => true),
    () => false,
  )
  if (exists)
    throw new StartupRefusal(`${path} already exists, and an export overwrites nothing: choose another name`)
  return open(draft, 'w', 0o600)
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path)
  await directory.sync()
  await directory.close()
}

class StoreExport {
  readonly #parts: Export
  readonly #client: pg.Client
  readonly #tar: TarWriter
  readonly #hash = createHash('sha256')
  readonly #rows: Record<string, number> = {}
  #estimatedRows = 1
  #rowsDone = 0

  constructor(parts: Export, client: pg.Client, file: FileHandle) {
    this.#parts = parts
    this.#client = client
    this.#tar = new TarWriter(file)
  }

  readonly #run: TableRun = async ({ text, values }: Sql) => {
    const { rows } = await this.#client.query({ text, values: [...values], rowMode: 'array', types: asText })
    return rows
  }

  async write(): Promise<readonly string[]> {
    const header = await this.#header()
    await this.#add(headerName, Buffer.from(`${JSON.stringify(header, undefined, 1)}\n`))
    const tables = (await storeTables(this.#run)).filter(({ name }) => !Object.hasOwn(leftBehind, name))
    await this.#estimate(tables)
    const files = await this.#writeFiles(header.store.id)
    for (const table of tables) await this.#writeTable(table, header.store.id)
    await this.#writeLines(jobsName, jobsSql(header.store.id))
    const end = { rows: this.#rows, files, sha256: this.#hash.digest('hex') }
    await this.#tar.add(endName, Buffer.from(`${JSON.stringify(end, undefined, 1)}\n`))
    await this.#tar.end()
    return this.#remarks(header.store.id, files)
  }

  async #add(name: string, content: Buffer): Promise<void> {
    this.#hash.update(content)
    await this.#tar.add(name, content)
  }

  async #header(): Promise<ArchiveHeader> {
    const stores = await this.#run({
      text: `SELECT json_build_object('id', s.id, 'name', s.name, 'created_at', s.created_at),
          json_build_object('id', o.id, 'name', o.name, 'created_at', o.created_at), s.id
        FROM stores s JOIN organisations o ON o.id = s.organisation_id ORDER BY s.created_at, s.id`,
      values: [],
    })
    const wanted = this.#parts.storeId
    const found = wanted === undefined ? stores : stores.filter(([, , id]) => id === wanted)
    const [row] = found
    if (!row || found.length > 1) {
      const ids = stores.map(([, , id]) => id).join(', ')
      throw new StartupRefusal(
        stores.length
          ? `choose one of the stores of this server with --store: ${ids}`
          : 'this server has no store yet: start it once',
      )
    }
    const migrations = await this.#run({ text: 'SELECT name FROM migrations ORDER BY name', values: [] })
    const [secret] = await this.#run({
      text: `SELECT json_build_object('fingerprint', fingerprint, 'in_use_from', in_use_from) FROM secrets
        ORDER BY in_use_from DESC LIMIT 1`,
      values: [],
    })
    return {
      format,
      exported_at: this.#parts.clock.now().toISOString(),
      migrations: migrations.map(([name]) => name as string),
      organisation: JSON.parse(row[1] as string),
      store: JSON.parse(row[0] as string),
      secret: secret ? JSON.parse(secret[0] as string) : null,
    }
  }

  /** By the database's own statistics, which are of all stores. */
  async #estimate(tables: readonly StoreTable[]): Promise<void> {
    const [row] = await this.#run({
      text: `SELECT sum(greatest(c.reltuples, 0))::bigint FROM pg_class c
        WHERE c.relnamespace = current_schema()::regnamespace AND NOT c.relispartition AND c.relname = ANY($1)`,
      values: [tables.map(({ name }) => name)],
    })
    this.#estimatedRows = Math.max(1, Number(row?.[0]))
  }

  async #writeTable({ name, columns }: StoreTable, storeId: string): Promise<void> {
    const list = columns.filter((column) => column !== 'store_id').map(quoteName)
    await this.#writeLines(
      name,
      `SELECT row_to_json(r) FROM (SELECT ${list} FROM ${quoteName(name)} WHERE store_id = ${uuidLiteral(storeId)}
         ${name === 'job_outbox' ? `AND name NOT IN (${namesLeftBehind})` : ''}) r`,
    )
  }

  async #writeLines(table: string, query: string): Promise<void> {
    let lines: Buffer[] = []
    let bytes = 0
    let part = 0
    this.#rows[table] = 0
    const flush = async () => {
      if (!lines.length) return
      part += 1
      await this.#add(partName(table, part), Buffer.concat(lines))
      this.#rows[table] = (this.#rows[table] ?? 0) + lines.length
      this.#rowsDone += lines.length
      this.#parts.progress.add(lines.length, bytes, table, this.#rowsDone / this.#estimatedRows)
      lines = []
      bytes = 0
    }
    for await (const some of linesOf(this.#client, query)) {
      for (const line of some) {
        lines.push(line)
        bytes += line.length
        if (bytes >= partBytes) await flush()
      }
    }
    await flush()
  }

  /** The contents of the store's files and exports. Those of an earlier moment than the rows may be more. */
  async #writeFiles(storeId: string): Promise<number> {
    const { blobs, progress } = this.#parts
    let files = 0
    for await (const { name, bytes } of blobs.list()) {
      const [owner, id] = name.split('/')
      if (owner !== storeId) continue
      const content = await blobs.read(name)
      // Deleted since it was listed.
      if (!content) continue
      await this.#tar.addStream(`${fileFolder}${id}`, bytes, this.#hashed(content))
      files += 1
      progress.add(0, bytes, 'files', 0)
    }
    return files
  }

  async *#hashed(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of content) {
      this.#hash.update(chunk)
      yield chunk
    }
  }

  async #remarks(storeId: string, files: number): Promise<readonly string[]> {
    const rows = Object.values(this.#rows).reduce((sum, n) => sum + n, 0)
    const [open] = await this.#run({
      text: 'SELECT count(*) FROM errands WHERE store_id = $1 AND ended_at IS NULL',
      values: [storeId],
    })
    const unfinished = Number(open?.[0])
    return [
      `${count(rows)} rows and ${count(files)} files`,
      ...(unfinished
        ? [
            `${unfinished} requests to payment gateways are in progress and not in the archive: ` +
              'if you move the store, wait until they have ended, stop the server, and export again',
          ]
        : []),
    ]
  }
}

/** All columns as PostgreSQL's text. */
const asText = { getTypeParser: () => (value: string) => value } as unknown as pg.CustomTypesConfig

const namesLeftBehind = Object.keys(jobsLeftBehind)
  .map((name) => `'${name}'`)
  .join(', ')

/** The short jobs that wait. They are in the queue's own tables. */
const jobsSql = (
  storeId: string,
) => `SELECT json_build_object('name', t.identifier, 'payload', j.payload, 'run_at', j.run_at,
    'attempts', j.max_attempts, 'key', j.key)
  FROM graphile_worker._private_jobs j JOIN graphile_worker._private_tasks t ON t.id = j.task_id
  WHERE j.payload->>'store' = ${uuidLiteral(storeId)} AND j.attempts < j.max_attempts
    AND t.identifier NOT IN (${namesLeftBehind})
  ORDER BY j.id`

import * as fs from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import pg from 'pg'
import { StartupError, StartupRefusal } from '../faults.ts'
import {
  bytesIn,
  type CopiedFile,
  copyTree,
  fileIn,
  fileOf,
  type OnBytes,
  syncDirectory,
} from './copy-tree.ts'
import { findRunning, startEmbedded, unfinishedRestore } from './embedded.ts'
import { claimFile, isAlive } from './pid-file.ts'

/**
 * A base backup by PostgreSQL's own rules ("Making a Base Backup Using the Low Level API"), because the package
 * contains none of its tools. It copies the files while PostgreSQL writes them, and then the log of these writes. The
 * result is a data directory: its first start replays the log, up to the end of the copying.
 */

const description = 'backup.json'

/** Files of the running process in the data directory. */
const ofTheProcess =
  /^(postgres|postgres\.init-.*|postgres\.log.*|sutler\.pid.*|restore\.unfinished-.*|files\/unfinished)$/
/**
 * What to skip in the cluster, as PostgreSQL's documentation lists it: the contents of some directories, and some
 * files.
 */
const emptied = /^pg_(dynshmem|notify|replslot|serial|snapshots|stat_tmp|subtrans|wal)\/./
const leftOut =
  /(^|\/)(postmaster\.(pid|opts)|backup_label(\.old)?|tablespace_map(\.old)?|pg_internal\.init.*|pgsql_tmp.*)$/
/** PostgreSQL finds everything else by this file, so it is copied last. */
const control = 'global/pg_control'

/** Is told of each part of a copy, and which share of all is done, from 0 to 1. It may throw, which ends the copy. */
type OnPart = (bytes: number, share: number) => void

function addUp(onPart: OnPart, bytesOfAll: number): OnBytes {
  let done = 0
  return (bytes) => {
    done += bytes
    onPart(bytes, done / Math.max(bytesOfAll, 1))
  }
}

/** Copies a data directory, whether a server runs on it or not. In the end `target` has all of it, or nothing. */
export async function backUp(
  dataDir: string,
  target: string,
  createdAt: Date,
  onPart: OnPart,
): Promise<void> {
  const cluster = join(dataDir, 'postgres')
  if (!fs.existsSync(join(cluster, 'PG_VERSION')))
    throw new StartupRefusal(`there is no database in ${dataDir}`)
  if (!relative(dataDir, target).startsWith('..')) {
    throw new StartupRefusal(`${target} is inside the data directory: choose a place outside it`)
  }
  fs.mkdirSync(dirname(target), { recursive: true })
  const release = await claimFile(
    `${target}.unfinished.pid`,
    (pid) =>
      `another backup to ${target} is in progress (pid ${pid}): wait until it has finished, or choose another place`,
  )
  try {
    await copyTo(target, fs.realpathSync(dataDir), createdAt, onPart)
  } finally {
    release()
  }
}

async function copyTo(target: string, home: string, createdAt: Date, onPart: OnPart): Promise<void> {
  if (fs.existsSync(target))
    throw new StartupRefusal(
      `${target} already exists, and a backup overwrites nothing: choose another place`,
    )
  const draft = `${target}.unfinished-${process.pid}`
  removeUnfinished(dirname(target), `${basename(target)}.unfinished-`)
  fs.mkdirSync(draft, { mode: 0o700 })
  const isElsewhere = (path: string) => ofTheProcess.test(path)
  const ofCluster = bytesIn(join(home, 'postgres'), isLeftOut)
  const onBytes = addUp(onPart, ofCluster + bytesIn(home, isElsewhere))
  try {
    const files = await copyCluster(home, join(draft, 'postgres'), onBytes)
    files.push(...(await copyTree(home, draft, isElsewhere, onBytes)))
    const text = `${JSON.stringify({ made_at: createdAt, files }, undefined, 1)}\n`
    fs.writeFileSync(join(draft, description), text, { flush: true })
    syncDirectory(draft)
    fs.renameSync(draft, target)
    syncDirectory(dirname(target))
  } catch (error) {
    fs.rmSync(draft, { recursive: true, force: true })
    throw error
  }
}

/** Creates a data directory from a backup. */
export async function restore(backup: string, dataDir: string, onPart: OnPart): Promise<void> {
  const files = readDescription(backup)
  fs.mkdirSync(dataDir, { recursive: true })
  removeUnfinished(dataDir, unfinishedRestore)
  if (fs.readdirSync(dataDir).length) {
    throw new StartupRefusal(
      `${dataDir} is not empty: restore into a new data directory, and set SUTLER_DATA_DIR to it`,
    )
  }
  const draft = join(dataDir, `${unfinishedRestore}${process.pid}`)
  try {
    fs.mkdirSync(draft, { mode: 0o700 })
    const onBytes = addUp(
      onPart,
      files.reduce((sum, { bytes }) => sum + bytes, 0),
    )
    const copied = await copyTree(backup, draft, (path) => path === description, onBytes)
    const copies = new Map(copied.map((file) => [file.path, file]))
    const damaged = files.find(({ path, sha256 }) => copies.get(path)?.sha256 !== sha256)
    if (damaged)
      throw new StartupError(`${join(backup, damaged.path)} is damaged or missing: use another backup`)
    const names = fs.readdirSync(draft).filter((name) => name !== 'postgres')
    // The cluster comes last: without it the directory does not count as a data directory.
    for (const part of [...names, 'postgres']) fs.renameSync(join(draft, part), join(dataDir, part))
    syncDirectory(dataDir)
  } finally {
    fs.rmSync(draft, { recursive: true, force: true })
  }
}

function readDescription(backup: string): readonly CopiedFile[] {
  try {
    return (JSON.parse(fs.readFileSync(join(backup, description), 'utf8')) as { files: CopiedFile[] }).files
  } catch {
    throw new StartupRefusal(`${resolve(backup)} is not a backup: it has no readable ${description}`)
  }
}

/** Deletes what a killed process has left. */
function removeUnfinished(directory: string, prefix: string): void {
  for (const name of fs.readdirSync(directory).filter((name) => name.startsWith(prefix))) {
    if (!isAlive(Number(name.slice(prefix.length))))
      fs.rmSync(join(directory, name), { recursive: true, force: true })
  }
}

const isLeftOut = (path: string) => emptied.test(path) || leftOut.test(path)

async function copyCluster(home: string, to: string, onBytes: OnBytes): Promise<CopiedFile[]> {
  const cluster = join(home, 'postgres')
  if (fs.readdirSync(join(cluster, 'pg_tblspc')).length) {
    throw new StartupError(`${cluster} has tablespaces, which are not backed up`)
  }
  const running = findRunning(home)
  const own = running === undefined ? await startEmbedded(home) : undefined
  const client = new pg.Client({ connectionString: running ?? own?.url, application_name: 'sutler backup' })
  try {
    await client.connect()
    // Makes PostgreSQL keep the log that is not copied yet, as long as this session lives.
    await client.query(
      `SELECT pg_create_physical_replication_slot('backup_' || pg_backend_pid(), true, true)`,
    )
    const started = await client.query(`SELECT pg_walfile_name(pg_backup_start('sutler', true)) AS first`)
    const files = await copyTree(cluster, to, (path) => isLeftOut(path) || path === control, onBytes)
    files.push(await fileOf(to, control, readTwiceAlike(join(cluster, control)), onBytes))
    const stopped = await client.query(
      'SELECT labelfile, pg_walfile_name(lsn) AS last FROM pg_backup_stop(wait_for_archive => false)',
    )
    const [{ first }, { labelfile, last }] = [started.rows[0], stopped.rows[0]]
    files.push(await fileOf(to, 'backup_label', Buffer.from(labelfile), onBytes))
    for (const name of fs.readdirSync(join(cluster, 'pg_wal')).sort()) {
      const needed = /^[0-9A-F]{24}$/.test(name) && name >= first && name <= last
      if (needed || name.endsWith('.history'))
        files.push(await fileIn(cluster, to, `pg_wal/${name}`, onBytes))
    }
    syncDirectory(join(to, 'pg_wal'))
    syncDirectory(to)
    return files.map((file) => ({ ...file, path: `postgres/${file.path}` }))
  } finally {
    await client.end().catch(() => {})
    await own?.stop()
  }
}

/** PostgreSQL writes the file at once, but a file system may show half of it. */
function readTwiceAlike(file: string): Buffer {
  for (;;) {
    const [one, other] = [fs.readFileSync(file), fs.readFileSync(file)]
    if (one.equals(other)) return one
  }
}

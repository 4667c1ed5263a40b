import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import { dirname, join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { codeOf } from './pid-file.ts'

/** A copied file, by its path in the tree. */
export interface CopiedFile {
  readonly path: string
  readonly bytes: number
  readonly sha256: string
}

/** Is told of each part of a long copy. It may throw, which ends the copy. */
export type OnBytes = (bytes: number) => void

/** One for all files, as they are copied one after the other: a new one would be cleared for each. */
const chunk = Buffer.allocUnsafeSlow(1024 * 1024)

/**
 * Copies a tree of files, readable only by their owner, and flushes them to the disk. Files may change during the copy;
 * one that disappears is left out.
 */
export async function copyTree(
  from: string,
  to: string,
  isLeftOut: (path: string) => boolean,
  onBytes: OnBytes,
): Promise<CopiedFile[]> {
  const copied: CopiedFile[] = []
  const copyDirectory = async (path: string) => {
    fs.mkdirSync(join(to, path), { recursive: true, mode: 0o700 })
    for (const entry of fs.readdirSync(join(from, path), { withFileTypes: true })) {
      const inner = path ? `${path}/${entry.name}` : entry.name
      if (isLeftOut(inner)) continue
      if (fs.statSync(join(from, inner), { throwIfNoEntry: false })?.isDirectory()) await copyDirectory(inner)
      else {
        const file = await unlessGone(() => fileIn(from, to, inner, onBytes))
        if (file) copied.push(file)
      }
    }
    syncDirectory(join(to, path))
  }
  await copyDirectory('')
  return copied
}

/** How many bytes the files of a tree have. Files may change meanwhile. */
export function bytesIn(from: string, isLeftOut: (path: string) => boolean, path = ''): number {
  return fs.readdirSync(join(from, path)).reduce((sum, name) => {
    const inner = path ? `${path}/${name}` : name
    const stat = isLeftOut(inner) ? undefined : fs.statSync(join(from, inner), { throwIfNoEntry: false })
    if (!stat) return sum
    return sum + (stat.isDirectory() ? bytesIn(from, isLeftOut, inner) : stat.size)
  }, 0)
}

/** Copies one file of a tree. */
export async function fileIn(from: string, to: string, path: string, onBytes: OnBytes): Promise<CopiedFile> {
  const source = fs.openSync(join(from, path), 'r')
  try {
    return await write(to, path, (into) => fs.readSync(source, into), onBytes)
  } finally {
    fs.closeSync(source)
  }
}

/** Creates one file of a tree. */
export function fileOf(to: string, path: string, content: Buffer, onBytes: OnBytes): Promise<CopiedFile> {
  let at = 0
  const read = (into: Buffer) => {
    const bytes = content.copy(into, 0, at)
    at += bytes
    return bytes
  }
  return write(to, path, read, onBytes)
}

async function write(
  to: string,
  path: string,
  read: (into: Buffer) => number,
  onBytes: OnBytes,
): Promise<CopiedFile> {
  const file = join(to, path)
  fs.mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const target = fs.openSync(file, 'wx', 0o600)
  try {
    const hash = createHash('sha256')
    let bytes = 0
    for (let n = read(chunk); n > 0; n = read(chunk)) {
      hash.update(chunk.subarray(0, n))
      for (let written = 0; written < n; ) written += fs.writeSync(target, chunk, written, n - written)
      bytes += n
      // A signal to this process arrives between two turns of the event loop.
      await setImmediate()
      onBytes(n)
    }
    fs.fsyncSync(target)
    return { path, bytes, sha256: hash.digest('hex') }
  } finally {
    fs.closeSync(target)
  }
}

/** Makes new and renamed entries of a directory survive a power cut. */
export function syncDirectory(path: string): void {
  const directory = fs.openSync(path, 'r')
  fs.fsyncSync(directory)
  fs.closeSync(directory)
}

async function unlessGone<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

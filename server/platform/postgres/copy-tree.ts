import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import { dirname, join } from 'node:path'
import { codeOf } from './pid-file.ts'

/** A copied file, by its path in the tree. */
export interface CopiedFile {
  readonly path: string
  readonly bytes: number
  readonly sha256: string
}

/** One for all files, as they are copied one after the other: a new one would be cleared for each. */
const chunk = Buffer.allocUnsafeSlow(1024 * 1024)

/**
 * Copies a tree of files, readable only by their owner, and flushes them to the disk. Files may change during the copy;
 * one that disappears is left out.
 */
export function copyTree(from: string, to: string, isLeftOut: (path: string) => boolean): CopiedFile[] {
  const copied: CopiedFile[] = []
  const copyDirectory = (path: string) => {
    fs.mkdirSync(join(to, path), { recursive: true, mode: 0o700 })
    for (const entry of fs.readdirSync(join(from, path), { withFileTypes: true })) {
      const inner = path ? `${path}/${entry.name}` : entry.name
      if (isLeftOut(inner)) continue
      if (fs.statSync(join(from, inner), { throwIfNoEntry: false })?.isDirectory()) copyDirectory(inner)
      else {
        const file = unlessGone(() => fileIn(from, to, inner))
        if (file) copied.push(file)
      }
    }
    syncDirectory(join(to, path))
  }
  copyDirectory('')
  return copied
}

/** Copies one file of a tree. */
export function fileIn(from: string, to: string, path: string): CopiedFile {
  const source = fs.openSync(join(from, path), 'r')
  try {
    return write(to, path, (into) => fs.readSync(source, into))
  } finally {
    fs.closeSync(source)
  }
}

/** Creates one file of a tree. */
export function fileOf(to: string, path: string, content: Buffer): CopiedFile {
  let at = 0
  return write(to, path, (into) => {
    const bytes = content.copy(into, 0, at)
    at += bytes
    return bytes
  })
}

function write(to: string, path: string, read: (into: Buffer) => number): CopiedFile {
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

function unlessGone<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

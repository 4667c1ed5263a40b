import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

const name = 'SHA256SUMS'

/** The sums of all files of a folder, as `sha256sum --check` reads them. */
export function checksumsOf(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name: file }) => relative(folder, join(parentPath, file)))
    .filter((path) => path !== name)
    .sort()
    .map((path) => `${hash('sha256', readFileSync(join(folder, path)), 'hex')}  ${path}\n`)
    .join('')
}

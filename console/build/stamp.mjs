// Whether the built console is that of this source. Plain JavaScript: scripts/run.mjs reads it with any Node.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../', import.meta.url))

/** Holds the stamp of the source that was built. */
export const stampFile = join(root, 'dist/.stamp')

/** A hash of everything that the build reads. */
export function stampOf() {
  const hash = createHash('sha256')
  const folders = ['src', 'build', 'public'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
      .filter((file) => !file.includes('generated')),
  )
  const others = ['index.html', 'package.json', 'vite.config.ts', '../docs/openapi.json'].map((name) =>
    join(root, name),
  )
  for (const file of [...folders, ...others].sort())
    hash.update(file.slice(root.length)).update(readFileSync(file))
  return hash.digest('hex')
}

/** Whether the console is built, from the source as it is. */
export const isBuilt = () => existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stampOf()

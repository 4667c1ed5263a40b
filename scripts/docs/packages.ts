import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundledPackages } from '../build/bundle.ts'

/** The packages that the console is built of: their code is in its files. */
const consolePackages = [
  ...['@base-ui/react', '@tanstack/react-query', '@tanstack/react-router'],
  ...['react', 'react-dom', 'react-hook-form'],
]

const root = fileURLToPath(new URL('../../', import.meta.url))

/** A package as package-lock.json has it. */
interface LockedPackage {
  readonly version: string
  readonly license?: string
  readonly integrity?: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

/** A package that a server of Sutler uses. */
export interface UsedPackage {
  readonly name: string
  readonly version: string
  readonly licence: string
  /** The hash of its tarball, as npm writes it. */
  readonly integrity: string
  /** Its folder in the clone. Packages for other systems are not installed. */
  readonly folder: string
  /** It is inside of dist/, and not installed with Sutler. */
  readonly isBundled: boolean
}

/** All packages that are installed with Sutler or bundled in it, with those that they need, by their names. */
export function usedPackages(): readonly UsedPackage[] {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, LockedPackage>>
  }
  const own = packages[''] as LockedPackage
  const installed = reachable(packages, Object.keys({ ...own.dependencies, ...own.optionalDependencies }))
  const bundled = reachable(packages, [...bundledPackages, ...consolePackages])
  return [...installed.union(bundled)]
    .map((folder) => {
      const { version, license = '', integrity = '' } = packages[folder] as LockedPackage
      const name = folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length)
      return { name, version, licence: license, integrity, folder, isBundled: !installed.has(folder) }
    })
    .sort((one, other) => compare(one.name, other.name) || compare(one.version, other.version))
    .filter(({ name, version }, i, all) => name !== all[i - 1]?.name || version !== all[i - 1]?.version)
}

const compare = (one: string, other: string) => (one < other ? -1 : Number(one > other))

/** The folders of these packages and of all that they need. */
function reachable(
  packages: Readonly<Record<string, LockedPackage>>,
  names: readonly string[],
): ReadonlySet<string> {
  const found = new Set<string>()
  const visit = (name: string, from: string) => {
    const folder = resolve(packages, name, from)
    if (folder === undefined || found.has(folder)) return
    found.add(folder)
    const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = packages[
      folder
    ] as LockedPackage
    const peers = Object.keys(peerDependencies ?? {}).filter(
      (peer) => !peerDependenciesMeta?.[peer]?.optional,
    )
    for (const needed of [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers])
      visit(needed, folder)
  }
  for (const name of names) visit(name, '')
  return found
}

/** The folder that Node finds a package in, from that of another one. */
function resolve(
  packages: Readonly<Record<string, LockedPackage>>,
  name: string,
  from: string,
): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(folder.lastIndexOf('/node_modules/'), 0))) {
    const candidate = `${folder ? `${folder}/` : ''}node_modules/${name}`
    if (packages[candidate]) return candidate
    if (folder === '') return undefined
  }
}

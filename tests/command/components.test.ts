import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { bundledPackages } from '../../scripts/build/bundle.ts'
import { usedPackages } from '../../scripts/docs/packages.ts'

/** tests/docs.test.ts keeps THIRD-PARTY.md and sbom.cdx.json current; this is about what they are made of. */

const root = join(import.meta.dirname, '../..')

test('the list of components has each installed package with the version and licence that it states itself', () => {
  const packages = usedPackages()
  const installed = packages.filter(({ folder }) => existsSync(join(root, folder)))
  // Only packages for other systems are missing.
  const missing = packages.filter((one) => !installed.includes(one)).map(({ name }) => name)
  expect(missing.filter((name) => !/(darwin|linux|win32|android|freebsd|wasm)/.test(name))).toEqual([])
  expect(installed.length).toBeGreaterThan(150)
  for (const { folder, name, version, licence } of installed) {
    const stated = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
    expect({ name, version, licence }).toEqual({
      name: stated.name,
      version: stated.version,
      licence: stated.license,
    })
  }
})

test('what is bundled is not installed with Sutler as well, and everything has a licence', () => {
  const packages = usedPackages()
  expect(packages.filter(({ licence }) => !licence)).toEqual([])
  for (const name of bundledPackages) {
    expect(Object.keys(packageJson.dependencies)).not.toContain(name)
    expect(packages).toContainEqual(expect.objectContaining({ name, isBundled: true }))
  }
  for (const name of Object.keys(packageJson.dependencies)) {
    expect(packages).toContainEqual(expect.objectContaining({ name, isBundled: false }))
  }
})

test('neither TypeScript nor a Node is installed with Sutler', () => {
  const names = usedPackages().map(({ name }) => name)
  expect(
    names.filter((name) => /^(typescript|@typescript\/.*|node|node-(bin-)?(linux|darwin).*)$/.test(name)),
  ).toEqual([])
})

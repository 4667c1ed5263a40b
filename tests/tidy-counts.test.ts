import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { filesIn, folderOf, importsOf, read } from './support/source-files.ts'

/** How many there still are of what STYLE.md wants fewer of. These numbers only fall. */
const most = {
  /** Of all files: an operation brings one that only its chapter uses. See decision 106. */
  shareUsedByOne: 0.28,
  typeNamesOfSeveral: 0,
  /** Resources that spread another one: a form of stock, entries of templates, flows. */
  spreads: 4,
}

const server = ['server', 'tools'].flatMap(filesIn).filter((file) => file.endsWith('.ts'))
const modules = server.filter((file) => file.startsWith('server/') && folderOf(file) !== 'kernel')

const usesIn = (file: string) => [...new Set(importsOf(file))].map((path) => ({ path, file }))

test('few files have only one user', () => {
  // A command loads what it needs when it runs: it has no part that could join it.
  const commandUses = filesIn('command').flatMap((file) =>
    [...read(file).matchAll(/import\('(\.[^']+)'\)/g)].map(([, path = '']) => ({
      path: join(dirname(file), path),
      file,
    })),
  )
  const users = Map.groupBy([...server.flatMap(usesIn), ...commandUses], ({ path }) => path)
  const usedByOne = [...users].flatMap(([path, some]) =>
    some.length === 1 && !some[0]?.file.startsWith('command/') ? [path] : [],
  )
  const share = usedByOne.length / server.length
  expect(share, 'a small file joins its only user').toBeLessThanOrEqual(most.shareUsedByOne)
})

test('few names stand for several types', () => {
  const declared = /^(?:export )?(?:interface|type|class|abstract class) (\w+)/gm
  const names = Map.groupBy(
    [...server, ...filesIn('command')].flatMap((file) =>
      [...read(file).matchAll(declared)].map(([, name = '']) => name),
    ),
    (name) => name,
  )
  const several = [...names].flatMap(([name, { length }]) => (length > 1 ? [name] : []))
  expect(several.length, 'one name for one type').toBeLessThanOrEqual(most.typeNamesOfSeveral)
})

const declaration = /\bconst (\w+)(?:: Resource\b[^=\n]*=| =\s+(?:resource|listing|published)\()/g
const declaredIn = (file: string) => [...read(file).matchAll(declaration)].map(([, name = '']) => name)

const importedIn = (file: string) =>
  [...read(file).matchAll(/^import \{([^}]*)\}/gm)].flatMap(([, names = '']) => names.match(/\w+/g) ?? [])

test('a resource does not spread another', () => {
  const resources = new Set(modules.flatMap(declaredIn))
  expect(resources.size).toBeGreaterThan(80)
  const spreads = modules.flatMap((file) => {
    const known = new Set([...declaredIn(file), ...importedIn(file).filter((name) => resources.has(name))])
    return [...read(file).matchAll(/\{\s*\.\.\.(\w+),/g)]
      .filter(([, name = '']) => known.has(name))
      .map(([, name]) => `${file}: ${name}`)
  })
  const advice = 'listing(…) lists the rows of a resource elsewhere, and a hook completes its rules'
  expect(spreads.length, `${spreads}: ${advice}`).toBeLessThanOrEqual(most.spreads)
})

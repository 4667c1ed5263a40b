import { expect, test } from 'vitest'
import { filesIn, folderOf, read } from './support/source-files.ts'

/** Resources that spread another one: a form of stock, entries of templates, flows. The number only falls. */
const spreadsMax = 4

const modules = filesIn('server').filter((file) => file.endsWith('.ts') && folderOf(file) !== 'kernel')

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
  expect(spreads.length, `${spreads}: ${advice}`).toBeLessThanOrEqual(spreadsMax)
})

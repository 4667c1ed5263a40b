import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'

/** Style is a test: see STYLE.md 19. Each ban names what to use in its place. */

const root = join(import.meta.dirname, '..')
const filesIn = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ts|mjs|sql)$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
const read = (file: string) => readFileSync(join(root, file), 'utf8')

const sources = ['server', 'scripts', 'tests', 'bench'].flatMap(filesIn)
const server = sources.filter((file) => file.startsWith('server/') && file.endsWith('.ts'))

/** Tests are tables, and may be longer. The formatter keeps code to 110 columns; this is for what it leaves alone. */
const limits = { linesMax: 400, testLinesMax: 600, commentColumnsMax: 120 }

test('files are short', () => {
  const tooLong = sources.filter((file) => {
    const max = file.startsWith('tests/') ? limits.testLinesMax : limits.linesMax
    return read(file).split('\n').length > max
  })
  expect(tooLong).toEqual([])
})

test('comments are not wide', () => {
  const wide = sources.flatMap((file) =>
    read(file)
      .split('\n')
      .flatMap((line, i) => {
        const comment = /^\s*(\/\/|\/?\*|--)/.test(line) && !line.includes('biome-ignore')
        return comment && [...line].length > limits.commentColumnsMax ? [`${file}:${i + 1}`] : []
      }),
  )
  expect(wide).toEqual([])
})

const bans: readonly (readonly [pattern: RegExp, allowedIn: RegExp, use: string])[] = [
  [/process\.env/, /^server\/config\.ts$/, 'a setting in server/config.ts'],
  // How long a process may take to start is not the application's time.
  [/new Date\(\)|Date\.now/, /^server\/kernel\/(clock|storage\/embedded)\.ts$/, 'ctx.clock'],
  [/console\.\w+\(/, /^$/, 'ctx.instance.log'],
  [/\b(FIXME|TODO|XXX)\b/, /^$/, 'an issue'],
  [/^\s*(export )?(declare )?(const )?enum\s/m, /^$/, 'a union of words'],
  [
    /^(const|let) \w+ = (perInstance\(\(\) => )?new (Map|Set)\b(?!\(\[)/m,
    /^$/,
    'kernel/memory.ts, which is bounded',
  ],
  [/^export default/m, /^$/, 'a named export'],
  [/from '[^']*(?<!\.ts|\.js|\.json)';?$/m, /^$/, 'an import with the file’s extension'],
]

test.for(bans)('the server has no %s', ([pattern, allowedIn]) => {
  const packages = /from '(?:node:)?[@\w/.-]+'/g
  const found = server.filter((file) => {
    const text = pattern.source.startsWith('from') ? read(file).replace(packages, '') : read(file)
    return !allowedIn.test(file) && pattern.test(text)
  })
  expect(found).toEqual([])
})

test('names say what is inside', () => {
  const vague = /^(utils?|helpers?|common|misc|managers?|services?)\b/
  expect(sources.filter((file) => vague.test(basename(file)) || vague.test(basename(dirname(file))))).toEqual(
    [],
  )
  expect(sources.filter((file) => !/^[a-z0-9.-]+$/.test(basename(file)))).toEqual([])
})

const moduleOf = (file: string) => (file.split('/').length > 2 ? (file.split('/')[1] as string) : '')
const importsOf = (file: string) =>
  [...read(file).matchAll(/from '(\.[^']+)'/g)].map(([, path = '']) => join(dirname(file), path))

/** The modules as server/app.ts lists them. */
const [, table = ''] = /export const app[^=]*= \[([^\]]*)\]/.exec(read('server/app.ts')) ?? []
const importedAs = new Map(
  [...read('server/app.ts').matchAll(/import \{([^}]*)\} from '\.\/([\w-]+)\/index\.ts'/g)].flatMap(
    ([, names = '', folder = '']) => names.split(',').map((name) => [name.trim(), folder] as const),
  ),
)
const order = [...table.matchAll(/^\s*(?:\.\.\.)?(\w+)/gm), ...table.matchAll(/,\s*(\w+)/g)].flatMap(
  ([, name = '']) => importedAs.get(name) ?? [],
)

test('a module is used through its index.ts only, and only by those below it', () => {
  const wrong = server.flatMap((file) => {
    const own = moduleOf(file)
    if (own === '' || own === 'kernel') return []
    return importsOf(file)
      .filter((path) => {
        const other = moduleOf(path)
        if (other === own || other === 'kernel') return false
        const above = order.indexOf(other) >= 0 && order.indexOf(other) < order.indexOf(own)
        return !(path === `server/${other}/index.ts` && above)
      })
      .map((path) => `${file} uses ${path}`)
  })
  expect(order.length).toBeGreaterThan(3)
  expect(wrong).toEqual([])
})

test('the kernel uses nothing but itself', () => {
  const kernel = server.filter((file) => moduleOf(file) === 'kernel')
  expect(kernel.flatMap((file) => importsOf(file).filter((path) => moduleOf(path) !== 'kernel'))).toEqual([])
})

test('the kernel has no word of commerce', () => {
  const words =
    /\b(customer|cart|catalog|product|price|promotion|inventor|payment|checkout|currenc|invoice|merchant)\w*/gi
  const kernel = server.filter((file) => moduleOf(file) === 'kernel')
  expect(
    kernel.flatMap((file) => [...read(file).matchAll(words)].map(([word]) => `${file}: ${word}`)),
  ).toEqual([])
})

/** Files with statements for all stores at once, and why. */
const exempt: Readonly<Record<string, string>> = {
  'server/keys/get-access-token.ts': 'the client id is what says which store',
  'server/oidc/forget-sign-ins.ts': 'housekeeping: what has expired',
  'server/kernel/idempotency.ts': 'housekeeping: what has expired',
}

/** A condition that is put in from elsewhere in the file is looked for there. */
const namesStore = (statement: string, file: string) =>
  statement.includes('store_id') || (/WHERE \$\{/.test(statement) && read(file).includes('store_id = $1'))

test('every statement on a store’s rows names the store', () => {
  const migrations = sources
    .filter((file) => file.endsWith('.sql'))
    .map(read)
    .join('\n')
  const owned = [
    ...migrations.matchAll(/CREATE TABLE (\w+) \(\s*(?:--[^\n]*\n\s*)*(?:list text NOT NULL,\s*)?store_id/g),
  ].map(([, name]) => name)
  expect(owned).toContain('list_deltas')
  expect(owned).toContain('accounts')
  const onOwned = new RegExp(`\\b(FROM|JOIN|INTO|UPDATE) (${owned.join('|')})\\b`)
  const unscoped = server
    .filter((file) => !exempt[file])
    .flatMap((file) =>
      [...read(file).matchAll(/`(?:[^`\\]|\\.)*`|'(?:[^'\\\n]|\\.)*'/g)]
        .map(([text]) => text)
        .filter((text) => onOwned.test(text) && !namesStore(text, file))
        .map((text) => `${file}: ${text.slice(0, 80)}`),
    )
  expect(unscoped).toEqual([])
})

import { basename, dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { app } from '../server/app.ts'
import { filesIn, folderOf, importsOf, read } from './support/source-files.ts'

/** What STYLE.md says, as far as a test can keep it. */

const sources = ['server', 'tools', 'command', 'scripts', 'tests', 'bench'].flatMap(filesIn)
const server = sources.filter((file) => /^(server|tools|command)\/.*\.ts$/.test(file))
/** What is served: a module of the tests keeps the rules too. */
const served = [...server, ...sources.filter((file) => /^tests\/workshop\/.*\.ts$/.test(file))]
const kernel = server.filter((file) => file.startsWith('server/kernel/'))
const platform = server.filter((file) => file.startsWith('server/platform/'))

/** One of the paragraphs of STYLE.md, by the word that it begins with. */
function paragraph(name: string, keep: () => void): void {
  if (!read('STYLE.md').includes(`**${name}.**`)) throw new Error(`STYLE.md has no paragraph ${name}`)
  describe(`STYLE.md, ${name}`, keep)
}

type Ban = readonly [pattern: RegExp, allowedIn: RegExp, use: string]

/** What the server may not say, where it may after all, and what to use in its place. */
function ban(bans: readonly Ban[]): void {
  const packages = /from '(?:node:)?[@\w/.-]+'/g
  test.for(bans)('served files have no %s', ([pattern, allowedIn, use]) => {
    const files = served.filter((file) => {
      const text = pattern.source.startsWith('from') ? read(file).replace(packages, '') : read(file)
      return !allowedIn.test(file) && pattern.test(text)
    })
    expect(files, `to be replaced by ${use}`).toEqual([])
  })
}

/** Words in the singular: of `customApis` and of `custom-apis` they are custom and api. */
const wordsIn = (text: string) =>
  text
    .replace(/([a-z])(?=[A-Z])/g, '$1 ')
    .toLowerCase()
    .split(/[^a-z]+/)
    .map((word) =>
      word
        .replace(/ies$/, 'y')
        .replace(/(?<=s|x|ch|sh)es$/, '')
        .replace(/(?<![su])s$/, ''),
    )

/** What the chapters are about: their names, and the nouns and types of what they declare. */
const modulesWords = () => {
  const declared = app.flatMap(({ operations }) =>
    operations.flatMap(({ of }) => {
      if (of.is === 'resource') return [...of.resource.noun, of.resource.type]
      return of.is === 'singleton' ? [of.singleton.name, of.singleton.type] : []
    }),
  )
  // A name of two words is made of the names of other chapters.
  const chapters = app.map(({ name }) => name).filter((name) => !name.includes(' '))
  return new Set([...chapters, ...declared].flatMap(wordsIn))
}

/** What the chapters to come will be about. */
const comingWords = [
  ...['cart', 'catalog', 'checkout', 'currency', 'customer', 'discount', 'inventory', 'invoice', 'merchant'],
  ...['payment', 'price', 'product', 'promotion', 'refund', 'shipment', 'sku', 'tax', 'warehouse'],
]

/** Words that a module and the kernel both need: what they say in the kernel, and where, if not everywhere. */
const kernelsOwn: readonly (readonly [word: string, says: string, where?: RegExp])[] = [
  ['account', 'of the operating system', /postgres\/run-as\.ts$/],
  ['address', 'where something is: a page, a machine, a mailbox'],
  ['api', 'all of it'],
  ['application', 'what stands on the kernel; the first half of a media type'],
  ['assignment', 'of a value in JavaScript', /shape\/values\.ts$/],
  ['change', 'what a write makes, and what the feed holds'],
  ['child', 'what is below another: an object, a process'],
  ['code', 'of an error'],
  ['csv', 'a form of any list'],
  ['custom', 'a type of the package pg', /storage\/database\.ts$/],
  ['data', 'what an envelope is around'],
  ['error', 'what is thrown, or answered'],
  ['extension', 'of PostgreSQL', /upgrades\/citus\.ts$/],
  ['identity', 'what replicas know a row by', /upgrades\/distribution\.ts$/],
  ['extension', 'of PostgreSQL', /upgrades\/statements\.ts$/],
  ['identity', 'a column that PostgreSQL counts', /upgrades\/statements\.ts$/],
  ['export', 'a word of the language'],
  ['extension', 'of a chunk of a request', /reading\/unreadable\.ts$/],
  ['field', 'what a resource is made of'],
  ['file', 'of the operating system; what an upload and an answer may be'],
  ['flow', 'a keyword of OpenAPI', /openapi\/document\.ts$/],
  ['identity', 'of a process; the coding of what is not packed', /(embedded|pid-file|unpack|prefer)\.ts$/],
  ['import', 'what a file says of those that it uses'],
  ['info', 'a level of the log; the head of an API document'],
  ['item', 'of a list: in a schema, in a request, in SQL'],
  ['job', 'what is done after an answer'],
  ['key', 'of a row, of a cipher, of idempotency'],
  ['live', 'plain English'],
  ['location', 'where a redirect leads'],
  ['log', 'what the operator reads'],
  ['mapping', 'a keyword of OpenAPI', /(body\/kinds|openapi\/schemas)\.ts$/],
  ['member', 'of a JSON object'],
  ['metric', 'what Prometheus reads'],
  ['node', 'what runs the server'],
  ['of', 'plain English'],
  ['option', 'of a field, of a function, of a command'],
  ['order', 'in which rows, locks and steps follow each other'],
  ['password', 'a format of JSON Schema; of a database', /(checker|postgres\/embedded)\.ts$/],
  ['permission', 'of a caller; of a file'],
  ['personal', 'what a resource says of its objects'],
  ['policy', 'of a page, to browsers', /http\/(docs|front-page)\.ts$/],
  ['refusal', 'what a request gets that is not carried out'],
  ['policy', 'in the name of a header', /(server|request-limits)\.ts$/],
  ['relationship', 'links that clients change by calls of their own'],
  ['request', 'what is answered'],
  ['rule', 'what a resource does with what is written; what an option is held to'],
  ['search', 'plain English'],
  ['setting', 'what an operator or a store may set'],
  ['tag', 'of an entity, of a ciphertext, of an API document'],
  ['time', 'plain English'],
  ['to', 'plain English'],
  ['total', 'how many objects a list has'],
  ['transaction', 'of the database'],
  ['version', 'of a row, of the server, of a document'],
  ['value', 'of a field, of a setting, of a statement'],
  ['user', 'of the operating system', /postgres\/(embedded|pid-file|programs|run-as)\.ts$/],
  ['version', 'of a row; of Node, PostgreSQL and the API'],
]

/** Words that the kernel has yet to lose. The list only shrinks. */
const notYetLost = ['server/kernel/work/context.ts: password']

/** The rooms of the kernel, from the ground up: see ARCHITECTURE.md. */
const kernelRooms = [
  ...[
    'errors',
    'clock',
    'ids',
    'article',
    'at-most',
    'memory',
    'metrics',
    'traces',
    'auth',
    'shape',
    'body',
    'storage',
    'upgrades',
    'work',
    'feed',
  ],
  ...[
    'declare',
    'query',
    'http',
    'write',
    'attempts',
    'load',
    'request',
    'thing',
    'module',
    'openapi',
    'server',
  ],
]

const roomOf = (path: string) => path.replace('server/kernel/', '').replace('.ts', '').split('/')[0] ?? ''

/** What the kernel uses outside its process, and the rooms that may: see ARCHITECTURE.md. */
const outsideOf: readonly (readonly [module: RegExp, rooms: readonly string[]])[] = [
  [/^pg$/, ['storage', 'upgrades']],
  [/^node:fs/, ['upgrades']],
  [/^(graphile-worker|nodemailer)$/, ['work']],
  [/^prom-client$/, ['metrics']],
  [/^@opentelemetry\//, ['traces']],
  [/^fastify$/, ['server']],
  [/platform\/blobs\//, ['work']],
  [/platform\/sockets\//, ['http', 'request', 'server']],
]
const touchNothing = ['errors', 'article', 'memory', 'auth', 'shape', 'body', 'declare', 'module', 'openapi']

paragraph('Shape', () => {
  /** Tests are tables, and may be longer. */
  const limits = { linesMax: 400, testLinesMax: 600 }

  test('files are short', () => {
    // A baseline has one file for each wing, and nobody adds to it.
    const { files: baseline } = JSON.parse(read('server/migrations/baseline.json'))
    const tooLong = sources.filter((file) => {
      if (baseline.includes(basename(file))) return false
      const max = file.startsWith('tests/') ? limits.testLinesMax : limits.linesMax
      return read(file).split('\n').length > max
    })
    expect(tooLong).toEqual([])
  })

  test('only what another file uses is exported', () => {
    const uses = new Set(
      sources.flatMap((file) =>
        [...read(file).matchAll(/\b(?:import|export) (?:type )?\{([^}]*)\} from '(\.[^']+)'/g)].flatMap(
          ([, names = '', path = '']) =>
            names
              .split(',')
              .map((name) => `${join(dirname(file), path)} ${name.replace(/\btype | as \w+/g, '').trim()}`),
        ),
      ),
    )
    // Files that are imported as a whole.
    const whole = sources.flatMap((file) =>
      [...read(file).matchAll(/\bimport(?: \* as \w+ from |\(\s*)'(\.[^']+)'/g)].map(([, path = '']) =>
        join(dirname(file), path),
      ),
    )
    const declaration = /^export (?:abstract |async )?(?:const|let|function\*?|class|interface|type) (\w+)/gm
    const own = server
      .filter((file) => !whole.includes(file))
      .flatMap((file) => [...read(file).matchAll(declaration)].map(([, name]) => `${file} ${name}`))
    const passedOn = server
      .filter((file) => file.endsWith('/index.ts'))
      .flatMap((door) =>
        [...read(door).matchAll(/\{([^}]*)\} from/g)]
          .flatMap(([, names = '']) =>
            names.split(',').map((name) => name.replace(/^.* as |\btype /g, '').trim()),
          )
          .filter(Boolean)
          .map((name) => `${door} ${name}`),
      )
    expect(own.length).toBeGreaterThan(1000)
    expect(passedOn.length).toBeGreaterThan(200)
    expect([...own, ...passedOn].filter((one) => !uses.has(one))).toEqual([])
  })

  test('each hook is declared as a constant of its name, and filled by one module', () => {
    const namesIn = (pattern: RegExp) =>
      server.flatMap((file) => [...read(file).matchAll(pattern)].map(([, name, named]) => [name, named]))
    const hooks = namesIn(/^export const (\w+) =\s+hook<[^;]*?>\(\s*'(\w+)',?\s*\)/gm)
    expect(hooks.length).toBe(namesIn(/\bhook<(.)/g).length)
    expect(hooks.filter(([name, named]) => name !== named)).toEqual([])
    const fillings = namesIn(/\bfill\((\w+), \w+\)/g)
    expect(fillings.flat().filter(Boolean).toSorted()).toEqual(hooks.map(([name]) => name).toSorted())
  })

  test('the platform uses only itself, and the kernel only the platform', () => {
    const usesOf = (files: readonly string[], allowed: readonly string[]) =>
      files.flatMap((file) => importsOf(file).filter((path) => !allowed.includes(folderOf(path))))
    expect(usesOf(platform, ['platform'])).toEqual([])
    expect(usesOf(kernel, ['kernel', 'platform'])).toEqual([])
  })

  test('a room of the kernel uses only the rooms before it', () => {
    const unknown = kernel.map(roomOf).filter((one) => !kernelRooms.includes(one))
    const upward = kernel.flatMap((file) =>
      importsOf(file)
        .filter((path) => folderOf(path) === 'kernel')
        .filter((path) => kernelRooms.indexOf(roomOf(path)) > kernelRooms.indexOf(roomOf(file)))
        .map((path) => `${file} uses ${path}`),
    )
    expect({ unknown, upward }).toEqual({ unknown: [], upward: [] })
  })

  test('a room of the kernel touches only what ARCHITECTURE.md says', () => {
    const imported = kernel.flatMap((file) =>
      [...read(file).matchAll(/^import (?!type\b)[^']+ from '([^']+)'/gm)].map(([, name = '']) => ({
        file,
        name,
      })),
    )
    expect(imported.filter(({ name }) => name === 'pg').length).toBeGreaterThan(3)
    const reached = imported.flatMap(({ file, name }) =>
      outsideOf
        .filter(([module, rooms]) => module.test(name) && !rooms.includes(roomOf(file)))
        .map(() => `${file} uses ${name}`),
    )
    const calls = kernel
      .filter((file) => touchNothing.includes(roomOf(file)))
      .filter((file) => /\b(store|database|connection)\.\w+\(/.test(read(file)))
    const writers = kernel
      .filter((file) => roomOf(file) === 'query')
      .filter((file) => /\b(INSERT INTO|UPDATE \w+ SET|DELETE FROM)\b/.test(read(file)))
    expect({ reached, calls, writers }).toEqual({ reached: [], calls: [], writers: [] })
  })

  test('the kernel has no word of the modules', () => {
    const words = modulesWords().union(new Set(comingWords))
    expect([...words]).toEqual(expect.arrayContaining(['account', 'realm', 'currency']))
    const uses = [...kernel, ...platform].flatMap((file) => {
      const own = kernelsOwn.filter(([, , where]) => !where || where.test(file)).map(([word]) => word)
      const foreign = new Set(wordsIn(read(file))).intersection(words).difference(new Set(own))
      return [...foreign].map((word) => `${file}: ${word}`)
    })
    const advice =
      'nouns and types of modules: use another word in the kernel, or a row of `kernelsOwn` above where it says something else there'
    expect(uses.sort(), advice).toEqual(notYetLost)
    const needless = kernelsOwn.filter(([word]) => !words.has(word)).map(([word]) => word)
    expect(needless, 'words that no module has either').toEqual([])
  })
})

paragraph('Safety', () => {
  // Who writes these by hand forgets one of them: an author, a version that the feed can see, an order of waiting.
  ban([
    [/sutler\.by/, /^server\/kernel\//, 'a verb of ctx.store'],
    [/\bversion \+ 1/, /^server\/kernel\//, 'a verb of ctx.store'],
    [/\bFOR (UPDATE|NO KEY UPDATE|KEY SHARE|SHARE)\b/, /^server\/kernel\//, 'ctx.store.lock or lockShared'],
    [
      /\b2147483647\b|\bsince <= /,
      /^server\/kernel\/storage\/editions\.ts$/,
      'inEdition or isCurrent of kernel/storage/editions.ts',
    ],
    [
      /^(const|let) \w+ = (perInstance\(\(\) => )?new (Map|Set)\b(?!\(\[)/m,
      /^$/,
      'kernel/memory.ts, which is bounded',
    ],
    [
      /rows\.map\(\(\[(\w+, ){3,}\w+\]\) =>|const \[(\w+, ){3,}\w+\] = (row|tuple)\b/,
      /^server\/(carts|orders|payments)\//,
      'columns of kernel/storage/columns.ts: names beside what is selected',
    ],
  ])
})

paragraph('Wiring', () => {
  ban([
    [/process\.env/, /^(server\/config|command\/sutler)\.ts$/, 'a setting in server/config.ts'],
    // How long a process may take to start is not the application's time.
    [/new Date\(\)|Date\.now/, /^server\/(kernel\/clock|platform\/postgres\/embedded)\.ts$/, 'ctx.clock'],
    [/console\.\w+\(/, /^$/, 'ctx.instance.log'],
  ])
})

paragraph('Types', () => {
  ban([
    [/^\s*(export )?(declare )?(const )?enum\s/m, /^$/, 'a union of words'],
    [/^export default/m, /^$/, 'a named export'],
    [/from '[^']*(?<!\.ts|\.js|\.json)';?$/m, /^$/, 'an import with the file’s extension'],
  ])
})

paragraph('Words', () => {
  /** The formatter keeps code to 110 columns; this is for what it leaves alone. */
  const commentColumnsMax = 120

  test('comments are not wide', () => {
    const wide = sources.flatMap((file) =>
      read(file)
        .split('\n')
        .flatMap((line, i) => {
          const comment = /^\s*(\/\/|\/?\*|--)/.test(line) && !line.includes('biome-ignore')
          return comment && [...line].length > commentColumnsMax ? [`${file}:${i + 1}`] : []
        }),
    )
    expect(wide).toEqual([])
  })

  test('a type is named by a noun, not by a bare participle', () => {
    const declared = /^\s*(?:export )?(?:interface|class|type) ([A-Z][a-z]+)(?=<| =| \{| extends)/gm
    const participle =
      /^(?:\w+(?<!e)ed|Found|Given|Held|Kept|Known|Made|Met|Read|Sent|Shown|Sold|Taken|Told|Unmet|Unspent|Written)$/
    const bare = sources.flatMap((file) =>
      [...read(file).matchAll(declared)].flatMap(([, name = '']) =>
        participle.test(name) ? [`${file}: ${name}`] : [],
      ),
    )
    expect(bare).toEqual([])
  })

  ban([
    // Outside of comments. Clients have no files of this repository.
    [/^(?!\s*(?:\/\/|\/?\*)).*\.md\b/m, /^$/, 'the fact itself'],
  ])

  test('file names say what is inside', () => {
    const vague = /^(utils?|helpers?|common|misc|managers?|services?)\b/
    const named = (file: string) => vague.test(basename(file)) || vague.test(basename(dirname(file)))
    expect(sources.filter(named)).toEqual([])
    expect(sources.filter((file) => !/^[a-z0-9.-]+$/.test(basename(file)))).toEqual([])
  })
})

paragraph('Changes', () => {
  ban([[/\b(FIXME|TODO|XXX)\b/, /^$/, 'an issue']])
})

import { hash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { guards } from '../bench/guards/index.ts'
import { generatedDocs } from '../scripts/docs/generated.ts'
import { groups, sutlerApi } from '../server/api-document.ts'
import { app } from '../server/app.ts'
import { access } from '../server/people/permissions/access.ts'
import { Schemas } from './support/document/schemas.ts'
import { read } from './support/source-files.ts'
import { openWorld, type World } from './support/world.ts'
import { appAndWorkshop } from './workshop/index.ts'

const root = join(import.meta.dirname, '..')

let world: World
beforeAll(async () => {
  world = await openWorld({ alone: true })
})
afterAll(() => world.close())

test('the generated files are up to date: if not, run npm run docs', async () => {
  for (const [name, text] of await generatedDocs(world.server.instance.database)) {
    const file = join(root, name)
    const written = existsSync(file) ? readFileSync(file, 'utf8') : ''
    expect(written === text, `${name} is not what npm run docs writes`).toBe(true)
  }
})

const served = { modules: app, access }

test.each([
  ['the application', served],
  ['the application and the workshop', appAndWorkshop],
])(
  'the API document of %s is OpenAPI 3.1, and has every operation once',
  async (_of, { modules, access }) => {
    const document = sutlerApi(modules, access)
    const { valid, errors } = await new Validator().validate(structuredClone({ ...document }))
    expect([valid, errors]).toEqual([true, undefined])
    const ids = Object.values(document.paths).flatMap((path) =>
      Object.values(path).map((operation) => (operation as { operationId: string }).operationId),
    )
    const operations = modules.flatMap((module) => module.operations)
    expect(ids.sort()).toEqual(operations.map(({ id }) => id).sort())
    expect(new Set(ids).size).toBe(ids.length)
  },
)

test('each operation has one tag, each tag is in one group, and the groups name modules', () => {
  // biome-ignore lint/suspicious/noExplicitAny: documents are looked into by name.
  const document = sutlerApi() as any
  const tags = document.tags.map(({ name }: { name: string }) => name)
  const grouped = document['x-tagGroups'].flatMap((group: { tags: string[] }) => group.tags)
  expect(grouped, 'a module without a row in server/api-document.ts has a tag without a group').toEqual(tags)
  const used = Object.values<object>(document.paths).flatMap((path) =>
    Object.values<{ tags: string[] }>(path as never).map((operation) => operation.tags),
  )
  expect([...new Set(used.map((names) => names.join()))].sort()).toEqual(tags.toSorted())
  const named = Object.values(groups).flatMap((one) => Object.values(one).flat())
  const serving = app.filter(({ operations }) => operations.length > 0).map(({ name }) => name)
  expect(named.sort()).toEqual(serving.sort())
})

test('a program that reads the API document gets a token for its application key', async () => {
  const { body: document } = await world.nobody.get('/openapi.json')
  expect(document.security).toContainEqual({ applicationKey: [] })
  const { tokenUrl } = document.components.securitySchemes.applicationKey.flows.clientCredentials
  const { id, secret } = world.key
  const answer = await fetch(new URL(tokenUrl, document.servers[0].url), {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      ...{ client_id: id, client_secret: secret },
    }),
  })
  const { access_token } = (await answer.json()) as { access_token: string }
  expect((await world.clientWith(access_token).get('/v2/settings')).status).toBe(200)
})

interface DocumentedOperation {
  readonly operationId: string
  readonly parameters: readonly { readonly $ref?: string; readonly name?: string; readonly required?: true }[]
}

test('the API document has each parameter once, and requires what an action requires in its query', async () => {
  const { body: document } = await world.nobody.get('/openapi.json')
  const documented = Object.values<Record<string, DocumentedOperation>>(document.paths).flatMap(
    Object.values<DocumentedOperation>,
  )
  const required: Record<string, string[]> = {}
  for (const { operationId, parameters } of documented) {
    const all = parameters.map((parameter) =>
      parameter.$ref ? document.components.parameters[parameter.$ref.split('/').at(-1) as string] : parameter,
    )
    const names = all.map((parameter) => `${parameter.in} ${parameter.name}`)
    expect([operationId, names]).toEqual([operationId, [...new Set(names)]])
    const must = all.filter((parameter) => parameter.in === 'query' && parameter.required)
    if (must.length) required[operationId] = must.map(({ name }) => name)
  }
  const filter = ['filter']
  const period = ['start_date', 'end_date', 'currency']
  expect(required).toEqual({
    'start-oidc-login': [
      ...['client_id', 'redirect_uri', 'response_type', 'scope', 'state', 'code_challenge_method'],
      ...['code_challenge', 'elasticpath_commerce_cloud_profile_id'],
    ],
    'finish-oidc-login': ['state'],
    'list-personal-data-logs': filter,
    'list-related-data-entries': filter,
    'list-erasure-requests': filter,
    'check-visibility': ['product'],
    'read-catalog-delta': ['until', 'signature'],
    'serve-export': ['until', 'signature'],
    'get-order-metrics-summary': period,
    'get-order-metrics-count': [...period, 'interval'],
    'get-order-metrics-value': [...period, 'interval'],
    'get-order-metrics-discount': [...period, 'interval'],
    'get-customer-metrics-count': ['start_date', 'end_date', 'interval'],
    'get-account-metrics-count': ['start_date', 'end_date', 'interval'],
  })
  for (const list of ['logs', 'related-data-entries', 'erasure-requests']) {
    expect((await world.admin.get(`/v2/personal-data/${list}`)).status).toBe(400)
  }
  const optional = documented.find(({ operationId }) => operationId === 'list-custom-entries')?.parameters
  expect(optional).toContainEqual({
    name: 'timeout',
    in: 'query',
    description: expect.any(String),
    schema: { type: 'integer', minimum: 1, maximum: 20_000 },
  })
})

/** Every schema in a document that has examples, and where it is. */
function withExamples(node: unknown, at = ''): [at: string, schema: { readonly examples: unknown[] }][] {
  if (typeof node !== 'object' || node === null) return []
  const own = 'examples' in node && Array.isArray(node.examples) ? [[at, node] as never] : []
  return [...own, ...Object.entries(node).flatMap(([name, member]) => withExamples(member, `${at}/${name}`))]
}

test('every example in the API document is a value that its schema accepts', () => {
  const document = sutlerApi(appAndWorkshop.modules, appAndWorkshop.access)
  const schemas = new Schemas(document.components)
  const all = withExamples(document)
  expect(all.length).toBeGreaterThan(50)
  for (const [at, schema] of all)
    for (const example of schema.examples)
      expect([at, schemas.fault(schema, example, 'open')]).toEqual([at, undefined])
})

test('every reference in the API document has a target', () => {
  const document = sutlerApi()
  const references = JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)
  for (const [, path = ''] of references) {
    const target = path
      .split('/')
      .reduce<unknown>((at, name) => (at as Record<string, unknown>)?.[name], document)
    expect(target, path).toBeDefined()
  }
})

test('the server of its document is the address of the request', async () => {
  const { status, body } = await world.nobody.get('/openapi.json')
  expect([status, body.openapi, body.servers]).toEqual([200, '3.1.0', [{ url: world.url }]])
})

test('the documentation page loads nothing from other servers', async () => {
  const page = await fetch(`${world.url}/docs`)
  const html = await page.text()
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  expect(html).not.toMatch(/(?:src|href)="(?:https?:)?\/\//)
  const [, script = ''] = /<script src="([^"]+)"/.exec(html) ?? []
  const answer = await fetch(new URL(script, page.url))
  expect([answer.status, answer.headers.get('content-type')]).toEqual([
    200,
    'application/javascript; charset=utf-8',
  ])
  const inline = [...html.matchAll(/<script[^>]*>([^<]+)<\/script>/g)].map(([, text = '']) => text)
  expect(inline).toHaveLength(1)
  const hashes = inline.map((text) => `'sha256-${hash('sha256', text, 'base64')}'`)
  const policy = page.headers.get('content-security-policy')?.split('; ')
  expect(policy).toEqual(
    expect.arrayContaining([
      "default-src 'none'",
      `script-src 'self' ${hashes}`,
      "connect-src 'self'",
      "frame-ancestors 'none'",
    ]),
  )
  for (const { headers } of [page, answer]) {
    const names = ['x-content-type-options', 'referrer-policy']
    expect(names.map((name) => headers.get(name))).toEqual(['nosniff', 'no-referrer'])
  }
})

const pages = ['.', 'docs', 'docs/decisions'].flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(root, folder, name)),
)

test('every file that a document names exists', () => {
  const path =
    /(?<![\w./-])((?:server|tools|command|tests|docs|bench|scripts)\/[\w./-]*\.(?:ts|mjs|sql|md|json))\b/g
  const missing = pages.flatMap((page) =>
    [...readFileSync(page, 'utf8').matchAll(path)]
      .map(([, file = '']) => file)
      // What the guide builds is not there.
      .filter((file) => !file.includes('brand') && !existsSync(join(root, file)))
      .map((file) => `${page}: ${file}`),
  )
  expect(missing).toEqual([])
})

test.each(['security.md', 'acidrain.md'])('every title that %s quotes exists', (name) => {
  let file = ''
  const missing: string[] = []
  const guide = readFileSync(join(root, 'docs', name), 'utf8')
  for (const [, path, title = ''] of guide.matchAll(/`(tests\/[\w/.-]+\.test\.ts)`|“([^”]+)”/g)) {
    if (path) file = path
    else if (file && !readFileSync(join(root, file), 'utf8').includes(title))
      missing.push(`${file}: ${title}`)
  }
  expect(missing).toEqual([])
})

test('docs/acidrain.md lists every race and every guard, and each guard is in the source', () => {
  const page = readFileSync(join(root, 'docs/acidrain.md'), 'utf8')
  const races = readdirSync(join(root, 'tests/races'))
    .filter((name) => name.endsWith('.test.ts'))
    .flatMap((name) => [
      ...readFileSync(join(root, 'tests/races', name), 'utf8').matchAll(/^race\('([^']+)'/gm),
    ])
    .map(([, title = '']) => title)
  expect(races.length).toBeGreaterThan(40)
  expect(races.filter((title) => !page.includes(`“${title}”`))).toEqual([])
  for (const { name, cuts, tests } of guards) {
    for (const title of Object.values(tests).flat()) expect(page).toContain(`“${title}”`)
    for (const cut of cuts) {
      if ('sql' in cut) continue
      const found = readFileSync(join(root, cut.file), 'utf8').split(cut.text).length - 1
      expect([name, cut.file, found]).toEqual([name, cut.file, 1])
    }
  }
})

test('the guide names every option of what a module declares', () => {
  const guide = ['ARCHITECTURE.md', 'docs/adding-a-resource.md', 'docs/kernel-options.md']
    .map(read)
    .join('\n')
  const declared = [
    ['shape/model.ts', 'Model'],
    ['shape/fields.ts', 'FieldOptions'],
    ['declare/resource.ts', 'ResourceDeclaration'],
    ['declare/action.ts', 'Action'],
    ['declare/relationship.ts', 'Relationship'],
    ['declare/singleton.ts', 'Singleton'],
    ['module.ts', 'Chapter'],
  ]
  // The kernel sets these: a module says `scope`.
  const ofKernel = ['scopeColumns', 'declared']
  const options = declared.flatMap(([file, name]) => {
    const text =
      read(`server/kernel/${file}`).split(new RegExp(`^(?:export )?interface ${name}\\b`, 'm'))[1] ?? ''
    const members = text.slice(0, text.indexOf('\n}\n')).matchAll(/^ {2}(?:readonly )?(\w+)\??[:(<]/gm)
    return [...members].map(([, option = '']) => option)
  })
  expect(options.length).toBeGreaterThan(80)
  const named = new Set(guide.match(/\w+/g))
  expect(options.filter((option) => !named.has(option) && !ofKernel.includes(option))).toEqual([])
})

test('every link between documents leads to a file', () => {
  const broken = pages.flatMap((page) => {
    const links = readFileSync(page, 'utf8').matchAll(/\]\((?!https?:|#|mailto:)([^)#]+)/g)
    return [...links]
      .map(([, link = '']) => join(dirname(page), link))
      .filter((target) => !existsSync(target))
      .map((target) => `${page}: ${target}`)
  })
  expect(broken).toEqual([])
})

import { randomUUID } from 'node:crypto'
import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { app } from '../../../server/app.ts'
import { action } from '../../../server/kernel/declare/action.ts'
import { Problem, type ProblemCode, type ProblemExtras, problems } from '../../../server/kernel/errors.ts'
import { withErrors } from '../../../server/kernel/http/problems.ts'
import { module } from '../../../server/kernel/module.ts'
import { json } from '../../../server/kernel/shape/answer.ts'
import { shown } from '../../../server/kernel/shape/shown.ts'
import { openWorld, type World } from '../../support/world.ts'

/** What the next call is refused with. */
let refused: Problem[] = []

const common = { area: 'accounts', about: 'Refuses what it is told to.', status: 201 } as const

const doors = module({
  name: 'doors',
  about: 'What the kernel answers and no chapter does yet.',
  actions: [
    action({
      ...common,
      name: 'refuse-all',
      route: 'POST /v2/doors/all',
      async run() {
        throw refused[0]
      },
    }),
    action({
      ...common,
      name: 'refuse-some',
      route: 'POST /v2/doors/some',
      shows: {
        errors: true,
        data: shown.list(shown.group({ id: shown.text })),
        beside: { meta: shown.group({ n: shown.integer }) },
      },
      run: async () => withErrors(json(201, { data: [{ id: 'one' }], meta: { n: 1 } }), refused),
    }),
  ],
})

let world: World
beforeAll(async () => {
  world = await openWorld({ modules: [...app, doors], env: { LOG_LEVEL: 'silent' } })
})
afterAll(() => world.close())

test('a write below a missing object names that object', async () => {
  const none = randomUUID()
  const price = { type: 'product-price', attributes: { sku: 'A', currencies: { USD: { amount: 1 } } } }
  const address = { type: 'address', name: 'Home', first_name: 'Ada', last_name: 'Bloom', line_1: '1 Way' }
  const details = []
  for (const [path, data] of [
    [`/pcm/pricebooks/${none}/prices`, price],
    [
      `/v2/accounts/${none}/addresses`,
      { ...address, city: 'Bath', county: 'S', region: 'S', postcode: 'BA1', country: 'GB' },
    ],
  ] as const) {
    const { status, body } = await world.admin.post(path, { data })
    details.push([status, body.errors[0].detail])
  }
  expect(details).toEqual([
    [404, `pricebook not found: ${none}`],
    [404, `account not found: ${none}`],
  ])
})

const cases: readonly (readonly [string, ProblemCode, string | undefined, ProblemExtras, object])[] = [
  ['of the table', 'not_found', undefined, {}, { title: 'Not Found', status: '404', code: 'not_found' }],
  [
    'with all that is known',
    'unprocessable',
    'not "that" many',
    { source: 'data.quantity', meta: { sku: 'A-1', left: [0] } },
    {
      title: 'Unprocessable Entity',
      status: '422',
      detail: 'not "that" many',
      code: 'unprocessable',
      source: 'data.quantity',
      meta: { sku: 'A-1', left: [0] },
    },
  ],
  [
    'with a status and a title of its own',
    'conflict',
    'Insufficient stock',
    { status: 400, title: 'Insufficient' },
    { title: 'Insufficient', status: '400', detail: 'Insufficient stock', code: 'conflict' },
  ],
]

test.each(cases)('a refusal %s is an error document', async (_, code, detail, extras, error) => {
  refused = [new Problem(code, detail, extras)]
  const { status, body } = await world.admin.post('/v2/doors/all')
  expect([status, body]).toEqual([extras.status ?? problems[code].status, { errors: [error] }])
})

test('a server error with a status of its own has a request id', async () => {
  refused = [new Problem('unavailable', undefined, { status: 502, title: 'Bad Gateway' })]
  const { status, headers, body } = await world.admin.post('/v2/doors/all')
  const error = {
    title: 'Bad Gateway',
    status: '502',
    code: 'unavailable',
    request_id: headers.get('x-request-id'),
  }
  expect([status, body]).toEqual([502, { errors: [error] }])
})

test('the errors of a partly successful request stand beside its data', async () => {
  refused = cases.map(([, code, detail, extras]) => new Problem(code, detail, extras))
  const errors = cases.map(([, , , , error]) => error)
  const { status, body } = await world.admin.post('/v2/doors/some')
  expect([status, body]).toEqual([201, { data: [{ id: 'one' }], meta: { n: 1 }, errors }])

  refused = []
  const whole = await world.admin.post('/v2/doors/some')
  expect([whole.status, whole.body]).toEqual([201, { data: [{ id: 'one' }], meta: { n: 1 } }])
})

test('a partly successful answer is replayed for an Idempotency-Key', async () => {
  refused = [new Problem('not_found', 'no such thing', { meta: { sku: 'B' } })]
  const once = await world.admin.post('/v2/doors/some', {}, { 'idempotency-key': 'part' })
  refused = []
  const again = await world.admin.post('/v2/doors/some', {}, { 'idempotency-key': 'part' })
  expect(once.body.errors).toHaveLength(1)
  expect([again.status, again.body]).toEqual([once.status, once.body])
  expect(again.headers.get('idempotency-replayed')).toBe('true')
})

test('the API document states where errors may stand beside data', async () => {
  const { body } = await world.admin.get('/openapi.json')
  expect((await new Validator().validate(structuredClone(body))).errors).toBeUndefined()
  const contentOf = (path: string) => body.paths[path].post.responses['201'].content
  expect(contentOf('/v2/doors/some')['application/json'].schema.properties.errors).toEqual({
    type: 'array',
    items: { $ref: '#/components/schemas/Problem' },
  })
  expect(contentOf('/v2/doors/all')['application/json'].schema.properties?.errors).toBeUndefined()
  expect(body.components.schemas.Problem.properties).toHaveProperty('meta')
})

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AccessTable, mayDo } from '../../../server/kernel/auth/access.ts'
import { type Operation, rightFor } from '../../../server/kernel/declare/operation.ts'
import type { Resource } from '../../../server/kernel/declare/resource.ts'
import { persons } from '../../../server/people/index.ts'
import { colleagueRoles } from '../../../server/people/permissions/role-kinds.ts'
import { colleagueOf } from '../../builders/people/colleagues.ts'
import {
  leadsToUnborn,
  operations,
  Samples,
  sameForAllStores,
  signIns,
  specimens,
} from '../../builders/samples.ts'
import type { Reply } from '../../support/client.ts'
import { type Client, openWorld, type World } from '../../support/world.ts'
import { appAndWorkshop } from '../../workshop/index.ts'
import { operationTraits, representativesOf } from '../classes.ts'

/** Operations that anyone may call. This list only shrinks: adding a row needs a reason in docs/decisions. */
const open = [
  // A colleague who signs in has no token yet: decision 123.
  'create-colleague-token',
  'finish-oidc-login',
  'get-access-token',
  // Nor has one who looks for a way to sign in, or for a code: decision 142.
  'get-colleague-sign-in',
  'get-oidc-configuration',
  'hear-stripe',
  'read-catalog-delta',
  'request-colleague-one-time-password',
  'serve-export',
  'serve-file',
  'start-oidc-login',
]

let world: World
let samples: Samples
beforeAll(async () => {
  world = await openWorld(appAndWorkshop)
  samples = new Samples(world.admin, world.work)
})
afterAll(() => world.close())

const closed = operations.filter((operation) => operation.access !== 'open')
/** A token that is not valid is refused before the operation is looked at: one is tried on all, the others on these. */
const representatives = representativesOf(closed, operationTraits)
const anywhere = ({ path }: Operation) => path.replace(/:\w+/g, () => randomUUID())
const access: AccessTable = appAndWorkshop.access

function expectUnauthorized({ status, headers, body }: Reply, whom: string) {
  expect([status, body?.errors?.[0]], `the answer to ${whom}`).toMatchObject([
    401,
    { status: '401', code: 'unauthorized' },
  ])
  expect(headers.get('www-authenticate'), `what ${whom} is told to bring`).toMatch(/^Bearer/)
}

/** `token`: the kind that was checked; `operation`: the refused one. */
function expectForbidden({ status, body }: Reply, whom: string, token: string, operation: Operation) {
  expect([status, body?.errors?.[0]], `the answer to ${whom}`).toMatchObject([
    403,
    { status: '403', code: 'forbidden' },
  ])
  const right = rightFor(operation) as 'read' | 'update' | 'write'
  const kinds = Object.keys(access[operation.area] ?? {}).filter((kind) =>
    mayDo(access, kind, operation.area, right),
  )
  const { detail } = body.errors[0]
  expect(detail, 'the token that the request has').toMatch(
    new RegExp(`the request has an? ${token} token( in the header [a-z-]+)?\\.$`),
  )
  for (const kind of kinds.filter((one) => !persons.has(one)))
    expect(detail, 'the tokens that would do').toContain(` ${kind} token`)
}

function expectLet({ status, body }: Reply, whom: string, refusals: readonly number[] = [401, 403]) {
  expect(refusals, `the answer to ${whom}: ${JSON.stringify(body?.errors)}`).not.toContain(status)
}

/** Published objects: the address does not name the missing catalog. */
const isUnpublished = (detail: string) => detail === 'No catalog is published for this shopper.'

/** Colleagues who have signed in, by role. */
const colleagues = new Map<string, Promise<Client>>()

/** Tokens of shoppers, by kind. */
const shoppers: Record<string, Promise<string> | undefined> = {}

test('the open operations are exactly the listed ones', () => {
  expect(
    operations
      .filter((one) => one.access === 'open')
      .map(({ id }) => id)
      .sort(),
  ).toEqual(open)
})

describe.each(closed)('$id', (operation) => {
  const { method, area } = operation
  const isRepresentative = representatives.includes(operation)

  test('refuses callers without a token, and tokens of others', async () => {
    expectUnauthorized(await world.nobody.send(method, anywhere(operation)), 'a stranger')
    const wrong = ['eyJhbGciOiJub25lIn0.e30.', 'garbage', `${world.admin.token}x`]
    for (const token of isRepresentative ? wrong : wrong.slice(0, 1)) {
      const reply = await world.clientWith(token).send(method, anywhere(operation))
      expectUnauthorized(reply, `who has the token ${token}`)
    }
  })

  test('gives a storefront exactly the rights of the access table', async () => {
    const right = access[area]?.implicit ?? '-'
    const may = right === 'rw' || (right === 'r' && operation.access === 'read')
    const reply = await world.shopper.send(method, anywhere(operation))
    if (may) expectLet(reply, 'a storefront')
    else expectForbidden(reply, 'a storefront', 'implicit', operation)
  })

  test('gives a signed-in shopper exactly the rights of the access table', async () => {
    for (const { header, kind } of world.server.instance.shopperTokens) {
      shoppers[kind] ??= signIns[kind]?.(world.admin, samples)
      const token = await shoppers[kind]
      if (!token) throw new Error(`No sign-in for ${kind}: add one to the samples of its module`)
      // A sign-in ignores an earlier sign-in.
      const signsIn = operation.of.is === 'action' && operation.of.action.signsIn
      const may = signsIn || mayDo(access, kind, area, rightFor(operation) as 'read' | 'update' | 'write')
      const reply = await world.shopper.send(method, anywhere(operation), { headers: { [header]: token } })
      // A right of the kind does not cover the objects of others.
      if (may) expectLet(reply, `a shopper of the kind ${kind}`, [401])
      else expectForbidden(reply, `a shopper of the kind ${kind}`, kind, operation)
      if (signsIn || !isRepresentative) continue
      const forged = await world.shopper.send(method, anywhere(operation), { headers: { [header]: 'x' } })
      expectUnauthorized(forged, `who has the ${header} x`)
    }
  })

  test('gives each colleague exactly the rights of their role', async () => {
    for (const { kind, name } of colleagueRoles) {
      const client = colleagues.get(kind) ?? colleagueOf(world, name).then((one) => one.client)
      colleagues.set(kind, client)
      const right = rightFor(operation) as 'read' | 'update' | 'write'
      const { status, body } = await (await client).send(method, anywhere(operation))
      const detail = body?.errors?.[0]?.detail ?? ''
      if (mayDo(access, kind, area, right)) expect([401, 403], `${name}: ${detail}`).not.toContain(status)
      else
        expect([status, detail]).toEqual([
          403,
          expect.stringContaining(`Your role, ${name}, does not have the right to ${right} ${area}.`),
        ])
      if (mayDo(access, kind, area, right)) expect(detail).not.toContain('Your role')
    }
  })

  test('admits an administrator, and names the missing object of the address', async () => {
    const path = anywhere(operation)
    const reply = await world.admin.send(method, path)
    expectLet(reply, 'an administrator')
    if (reply.status !== 404 || isUnpublished(reply.body.errors[0].detail)) return
    const ids = path.split('/').filter((segment) => operation.path.split('/').every((own) => own !== segment))
    const { detail } = reply.body.errors[0]
    expect(
      ids.filter((id) => detail.endsWith(` not found: ${id}`)),
      detail,
    ).not.toEqual([])
  })
})

test('each resource that shoppers can read declares which rows they see', () => {
  const kinds = world.server.instance.shopperTokens.map(({ kind }) => kind)
  const opens = ({ area }: Resource) => kinds.some((kind) => (access[area]?.[kind] ?? '-') !== '-')
  const silent = specimens.filter(({ resource }) => opens(resource) && !resource.visible)
  expect(silent.map(({ name }) => name)).toEqual([])
})

/** Operations whose public contract distinguishes another store's object from a missing one, and their refusals. */
const ownRefusals: Readonly<Record<string, readonly [status: number, code: string]>> = {
  'delete-file': [403, 'forbidden'],
}

const ofOneStore = closed.filter(({ id, path }) => path.includes(':') && !sameForAllStores.includes(id))

// Where any key reads as an object, another store's key does too: see unborn.test.ts.
describe.each(ofOneStore.filter((operation) => !leadsToUnborn(operation)))('$id', (operation) => {
  test('hides another store’s object', async () => {
    const { path, body } = await samples.call(operation)
    const reply = await world.other.send(operation.method, path, {
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    expect([reply.status, reply.body?.errors?.[0].code], `${path}, asked for by another store`).toEqual(
      ownRefusals[operation.id] ?? [404, 'not_found'],
    )
    if (reply.status === 404 && !isUnpublished(reply.body.errors[0].detail)) {
      const [, named = ''] = / not found: (.+)$/.exec(reply.body.errors[0].detail) ?? []
      expect(named, reply.body.errors[0].detail).not.toBe('')
      expect(`${path} ${JSON.stringify(body)}`.toLowerCase(), 'what was asked for').toContain(
        named.toLowerCase(),
      )
    }
  })
})

describe.each(
  closed.filter(({ of, path }) => of.is === 'resource' && of.name === 'list' && !path.includes(':')),
)('$id', (operation) => {
  test('shows nothing of another store', async () => {
    const ours = await world.admin.get(`${operation.path}?page[limit]=100`)
    const theirs = await world.other.get(`${operation.path}?page[limit]=100`)
    expect([ours.status, theirs.status], 'of both stores’ lists').toEqual([200, 200])
    const ids = new Set(ours.body.data.map(({ id }: { id: string }) => id))
    const both = theirs.body.data.filter(({ id }: { id: string }) => ids.has(id))
    expect(both, 'what is in both stores’ lists').toEqual([])
    expect(theirs.body.meta.results.total, 'the total of the other store').toBe(theirs.body.data.length)
  })
})

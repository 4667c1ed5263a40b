import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mayDo } from '../../server/kernel/auth/access.ts'
import { type Operation, rightFor } from '../../server/kernel/module.ts'
import { access } from '../../server/permissions/access.ts'
import type { Reply } from '../support/client.ts'
import { operations, Samples, signIns } from '../support/samples.ts'
import { openWorld, type World } from '../support/world.ts'

/** Operations that anyone may call. This list only shrinks: adding a row needs a reason in docs/decisions. */
const open = ['finish-oidc-login', 'get-access-token', 'get-oidc-configuration', 'start-oidc-login']

let world: World
let samples: Samples
beforeAll(async () => {
  world = await openWorld()
  samples = new Samples(world.admin)
})
afterAll(() => world.close())

const closed = operations.filter((operation) => operation.access !== 'open')
const anywhere = ({ path }: Operation) => path.replace(/:\w+/g, () => randomUUID())
const table: Readonly<Record<string, Readonly<Record<string, string>>>> = access

function expectUnauthorized({ status, headers, body }: Reply) {
  expect(status).toBe(401)
  expect(headers.get('www-authenticate')).toMatch(/^Bearer/)
  expect(body.errors[0]).toMatchObject({ status: '401', code: 'unauthorized' })
}

function expectForbidden({ status, body }: Pick<Reply, 'status' | 'body'>) {
  expect(status).toBe(403)
  expect(body.errors[0]).toMatchObject({ status: '403', code: 'forbidden' })
}

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

test('every operation has a row in the access table', () => {
  expect(closed.filter(({ area }) => !table[area]).map(({ id }) => id)).toEqual([])
})

describe.each(closed)('$id', (operation) => {
  const { method, area } = operation

  test('refuses a stranger, and a token that is not ours', async () => {
    expectUnauthorized(await world.nobody.send(method, anywhere(operation)))
    for (const token of ['garbage', 'eyJhbGciOiJub25lIn0.e30.', `${world.admin.token}x`]) {
      expectUnauthorized(await world.clientWith(token).send(method, anywhere(operation)))
    }
  })

  test('lets a storefront do what the access table says, and no more', async () => {
    const right = table[area]?.implicit ?? '-'
    const may = right === 'rw' || (right === 'r' && operation.access === 'read')
    const { status, body } = await world.shopper.send(method, anywhere(operation))
    if (may) expect([401, 403]).not.toContain(status)
    else expectForbidden({ status, body })
  })

  test('lets a shopper who is signed in do what the access table says, and no more', async () => {
    for (const { header, kind } of world.server.instance.shopperTokens) {
      shoppers[kind] ??= signIns[kind]?.(world.admin, samples)
      const token = await shoppers[kind]
      if (!token) throw new Error(`No sign-in for ${kind}: add a row to samples.ts`)
      // Where one signs in, nobody looks at who was signed in.
      const signsIn = operation.of.kind === 'action' && operation.of.action.signsIn
      const may = signsIn || mayDo(access, kind, area, rightFor(operation) as 'read' | 'update' | 'write')
      const reply = await world.shopper.send(method, anywhere(operation), { headers: { [header]: token } })
      // Where the kind may, it may still not do this to others.
      if (may) expect(reply.status).not.toBe(401)
      else expectForbidden(reply)
      if (signsIn) continue
      expectUnauthorized(
        await world.shopper.send(method, anywhere(operation), { headers: { [header]: 'x' } }),
      )
    }
  })

  test('lets an administrator', async () => {
    expect([401, 403]).not.toContain((await world.admin.send(method, anywhere(operation))).status)
  })
})

/** What every store has the same of. */
const sharedByAll = ['get-built-in-role']

describe.each(closed.filter(({ id, path }) => path.includes(':') && !sharedByAll.includes(id)))(
  '$id',
  (operation) => {
    test('hides another store’s object', async () => {
      const { path, body } = await samples.call(operation)
      const reply = await world.other.send(operation.method, path, {
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      expect([reply.status, reply.body.errors[0].code]).toEqual([404, 'not_found'])
    })
  },
)

describe.each(
  closed.filter(({ of, path }) => of.kind === 'resource' && of.name === 'list' && !path.includes(':')),
)('$id', (operation) => {
  test('shows nothing of another store', async () => {
    const ours = await world.admin.get(`${operation.path}?page[limit]=100`)
    const theirs = await world.other.get(`${operation.path}?page[limit]=100`)
    expect(theirs.status).toBe(200)
    const ids = new Set(ours.body.data.map(({ id }: { id: string }) => id))
    expect(theirs.body.data.filter(({ id }: { id: string }) => ids.has(id))).toEqual([])
    expect(theirs.body.meta.results.total).toBe(theirs.body.data.length)
  })
})

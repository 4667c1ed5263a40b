import { afterAll, beforeAll, expect, test } from 'vitest'
import { app } from '../../../server/app.ts'
import { resource } from '../../../server/kernel/declare/resource.ts'
import { module, mustHaveRows } from '../../../server/kernel/module.ts'
import type { Envelope } from '../../../server/kernel/shape/envelope.ts'
import { start } from '../../../server/main.ts'
import { access } from '../../../server/people/permissions/access.ts'
import { openWorld, testConfig, type World } from '../../support/world.ts'

/** What is wrong with a declaration is said when the server starts, or else to the client in a client's words. */

const envelope: Envelope = { times: 'meta', digits: 3, fields: 'top', links: 'none', href: 'absolute' }
const area = 'custom-apis'
const shared = { fields: {}, area, envelope }

const shelves = resource({
  ...shared,
  type: 'shelf',
  noun: ['shelf', 'shelves'],
  about: 'A shelf.',
  path: '/v2/shelves',
  table: 'shelves',
})
const jars = {
  ...shared,
  type: 'jar',
  noun: ['jar', 'jars'],
  about: 'A jar on a shelf.',
  path: '/v2/shelves/:shelf_id/jars',
  table: 'jars',
} as const

const columns = `store_id uuid NOT NULL, id uuid NOT NULL, version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL, updated_at timestamptz(3) NOT NULL, doc json NOT NULL, hidden json,
  PRIMARY KEY (store_id, id)`

const tests = module({
  name: 'tests',
  about: 'What nobody should declare.',
  resources: [shelves, resource({ ...jars, parent: () => shelves })],
})

let world: World
beforeAll(async () => {
  world = await openWorld({
    modules: [...app, tests],
    access,
    sql: `CREATE TABLE shelves (${columns});
      CALL track('shelves', $$'shelf'$$);
      CREATE TABLE jars (shelf_id uuid NOT NULL, ${columns},
        CONSTRAINT jars_parent_fkey FOREIGN KEY (store_id, shelf_id) REFERENCES shelves);
      CALL track('jars', $$'jar'$$, '{shelf_id}');`,
  })
})
afterAll(() => world.close())

test('an object that others refer to is not deleted, and not reported as missing', async () => {
  const shelf = `/v2/shelves/${(await world.admin.post('/v2/shelves', { data: { type: 'shelf' } })).body.data.id}`
  const jar = await world.admin.post(`${shelf}/jars`, { data: { type: 'jar' } })
  expect(jar.status).toBe(201)
  const { status, body } = await world.admin.delete(shelf)
  expect([status, body.errors?.[0].code, body.errors?.[0].detail]).toEqual([
    409,
    'conflict',
    'shelf is still in use: delete the objects that belong to it first',
  ])
  expect((await world.admin.delete(`${shelf}/jars/${jar.body.data.id}`)).status).toBe(204)
  expect((await world.admin.delete(shelf)).status).toBe(204)
})

test('a path with an undeclared parameter is refused by name', () => {
  expect(() => resource(jars)).toThrow('jar: its path has :shelf_id')
  resource({ ...jars, scope: { columns: ['shelf_id'] } })
})

test('lists without counters and without a limit are refused', () => {
  const uncounted = { ...jars, parent: () => shelves, counted: false } as const
  expect(() => resource(uncounted)).toThrow(
    'jar: its lists have no counters, so `most` must limit their length',
  )
  resource({ ...uncounted, most: { n: 10, detail: () => 'The shelf is full.' } })
  resource({ ...uncounted, operations: ['list'] })
})

test('an area without a row in the access table is refused, and its module named', async () => {
  const { [area]: _, ...others } = access
  expect(() => mustHaveRows(others, [tests])).toThrow('The area custom-apis of tests has no row')
  mustHaveRows(access, [...app, tests])
  await expect(start(testConfig('', ''), { access: others })).rejects.toThrow(
    'The area custom-apis of extensions',
  )
})

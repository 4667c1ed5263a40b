import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { app } from '../../server/app.ts'
import { action } from '../../server/kernel/declare/action.ts'
import { resource } from '../../server/kernel/declare/resource.ts'
import { objectAnswer } from '../../server/kernel/http/object-answer.ts'
import { module } from '../../server/kernel/module.ts'
import { findByName } from '../../server/kernel/query/find.ts'
import { get, list } from '../../server/kernel/request/operations.ts'
import { text } from '../../server/kernel/shape/fields.ts'
import { add, change } from '../../server/kernel/write/by-rules.ts'
import { customers } from '../../server/people/customers/customers.ts'
import { personalData } from '../../server/personal-data/index.ts'
import {
  about,
  create,
  erase,
  logs,
  makeCustomer,
  placesOf,
  readsOf,
  related,
  settled,
} from '../builders/personal-data/people.ts'
import { body } from '../support/requests.ts'
import { openWorld, type World } from '../support/world.ts'

/** Resources that are new to the server. Only their declarations say that they hold personal data. */

const sentence = 'What a customer wrote down.'
const declaration = {
  about: sentence,
  parent: () => customers,
  personal: ['customer_id'],
  fields: { note: text({ required: true, about: 'What.', example: 'Rain.' }) },
  area: 'customers',
  envelope: { times: 'meta.timestamps', digits: 3, fields: 'top', links: 'inside', href: 'absolute' },
} as const

const diaryEntries = resource({
  ...declaration,
  type: 'diary_entry',
  noun: ['diary-entry', 'diary-entries'],
  path: '/v2/customers/:customer_id/diary-entries',
  table: 'diary_entries',
})

/** All of its calls are actions. */
const letters = resource({
  ...declaration,
  type: 'letter',
  noun: ['letter', 'letters'],
  path: '/v2/customers/:customer_id/letters',
  table: 'letters',
  operations: [],
})

const call = { about: sentence, area: 'customers' } as const
const letterActions = [
  action({
    ...call,
    name: 'write-letter',
    route: 'POST /v2/customers/:customer_id/letters',
    status: 201,
    body: letters,
    shows: { resource: letters },
    run: async (ctx, { params, body }) =>
      objectAnswer(201, letters, await add(ctx, letters, [params.customer_id], body), ctx),
  }),
  action({
    ...call,
    name: 'read-letters',
    route: 'GET /v2/customers/:customer_id/letters',
    status: 200,
    shows: { resource: letters, page: true },
    run: (ctx, call) => list(ctx, letters, [call.params.customer_id], call),
  }),
  action({
    ...call,
    name: 'read-letter',
    route: 'GET /v2/customers/:customer_id/letters/:id',
    status: 200,
    shows: { resource: letters },
    run: (ctx, call) => get(ctx, letters, [call.params.customer_id], call.params.id, call),
  }),
  action({
    ...call,
    name: 'rewrite-letter',
    route: 'PUT /v2/customers/:customer_id/letters/:id',
    status: 200,
    body: letters,
    shows: { resource: letters },
    run: async (ctx, { params, body }) => {
      const scope = [params.customer_id]
      const { id } = await findByName(ctx, letters, params.id, scope)
      return objectAnswer(200, letters, await change(ctx, letters, scope, id, body), ctx)
    },
  }),
]

const holders = [diaryEntries, letters]

// They do not even have a foreign key to their parent.
const sql = holders
  .map(
    ({ table, type }) => `
  CREATE TABLE ${table} (
    store_id uuid NOT NULL, customer_id uuid NOT NULL, id uuid NOT NULL, version integer NOT NULL DEFAULT 0,
    created_at timestamptz(3) NOT NULL, updated_at timestamptz(3) NOT NULL, doc json NOT NULL, hidden json,
    CONSTRAINT ${table}_pkey PRIMARY KEY (store_id, id));
  CREATE INDEX ${table}_by_created_at ON ${table} (store_id, customer_id, created_at, id);
  CALL track('${table}', $$'${type}'$$, '{customer_id}', personal => true);`,
  )
  .join('')

const chapters = [
  ...app.filter(({ name }) => name !== 'personal-data'),
  module({ name: 'diaries', about: 'Diaries.', resources: [diaryEntries] }),
  // The module does not declare the resource: its actions show it.
  module({ name: 'letters', about: 'Letters.', actions: letterActions }),
]

let world: World
beforeAll(async () => {
  world = await openWorld({ modules: [...chapters, personalData(chapters)], sql })
})
afterAll(() => world.close())

test.each(holders)(
  'a $type is in the logs, in the sets and in the API document, and can be erased',
  async ({ type, noun: [entryType, list] }) => {
    const name = `q${randomUUID().slice(0, 8)}`
    const { customer, address } = await makeCustomer(world.admin, name)
    const entry = await create(world.admin, `${customer.path}/${list}`, type, {
      note: `by ${name}`,
    })
    await world.admin.put(entry.path, body(type, { note: `again by ${name}` }))
    await world.admin.get(entry.path)
    await settled(world.admin)

    const log = (await world.admin.get(`${logs}${about(type, entry.id)}`)).body.data
    expect(log.map((one: { event_type: string }) => one.event_type)).toEqual([
      `${entryType}.event.read`,
      `${entryType}.event.updated`,
      `${entryType}.event.created`,
    ])
    for (const { relationships } of log) expect(relationships.resource_path.url).toBe(world.url + entry.path)
    expect(await readsOf(world.admin, entryType, entry.id)).toHaveLength(1)

    const around = (await world.admin.get(`${related}${about(entryType, entry.id)}`)).body.data
    expect(around.map((one: { resource_id: string }) => one.resource_id).sort()).toEqual(
      [customer.id, address.id].sort(),
    )
    const { body: document } = await world.nobody.get('/openapi.json')
    const schema = document.components.schemas.ErasureRequest
    expect(JSON.stringify(schema)).toContain(entryType)

    expect(await erase(world.admin, entryType, entry.id)).toMatchObject({ status: 'SUCCESS' })
    expect((await world.admin.get(entry.path)).status).toBe(404)
    expect(await placesOf(world, name)).toEqual([])
    expect(await readsOf(world.admin, entryType, entry.id)).toEqual([])
  },
)

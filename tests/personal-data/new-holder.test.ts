import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { app } from '../../server/app.ts'
import { customers } from '../../server/customers/customers.ts'
import { text } from '../../server/kernel/fields.ts'
import { module } from '../../server/kernel/module.ts'
import { resource } from '../../server/kernel/resource.ts'
import { personalData } from '../../server/personal-data/index.ts'
import { openWorld, type World } from '../support/world.ts'
import {
  about,
  body,
  erase,
  logs,
  made,
  makeCustomer,
  placesOf,
  readsOf,
  related,
  settled,
} from './people.ts'

/** A resource that is new to the server, and says that it holds personal data: nothing else is told of it. */

const diaryEntries = resource({
  type: 'diary_entry',
  noun: ['diary-entry', 'diary-entries'],
  about: 'What a customer wrote down.',
  path: '/v2/customers/:customer_id/diary-entries',
  parent: () => customers,
  table: 'diary_entries',
  personal: ['customer_id'],
  fields: { note: text({ required: true, about: 'What.', example: 'Rain.' }) },
  area: 'customers',
  envelope: { times: 'meta.timestamps', digits: 3, fields: 'top', links: 'inside', href: 'absolute' },
})

// Not even deleted by a key to its parent.
const sql = `
  CREATE TABLE diary_entries (
    store_id uuid NOT NULL, customer_id uuid NOT NULL, id uuid NOT NULL, version integer NOT NULL DEFAULT 0,
    created_at timestamptz(3) NOT NULL, updated_at timestamptz(3) NOT NULL, doc json NOT NULL, hidden json,
    CONSTRAINT diary_entries_pkey PRIMARY KEY (store_id, id));
  CREATE INDEX diary_entries_by_created_at ON diary_entries (store_id, customer_id, created_at, id);
  CALL track('diary_entries', $$'diary_entry'$$, '{customer_id}', personal => true);`

const chapters = [
  ...app.filter(({ name }) => name !== 'personal-data'),
  module({ name: 'diaries', about: 'Diaries.', resources: [diaryEntries] }),
]

let world: World
beforeAll(async () => {
  world = await openWorld({ modules: [...chapters, personalData(chapters)], sql })
})
afterAll(() => world.close())

test('is in the logs, in the sets and in the API document, and is erased', async () => {
  const name = `q${randomUUID().slice(0, 8)}`
  const { customer, address } = await makeCustomer(world.admin, name)
  const entry = await made(world.admin, `${customer.path}/diary-entries`, 'diary_entry', {
    note: `by ${name}`,
  })
  await world.admin.put(entry.path, body('diary_entry', { note: `again by ${name}` }))
  await world.admin.get(entry.path)
  await settled(world.admin)

  const log = (await world.admin.get(`${logs}${about('diary_entry', entry.id)}`)).body.data
  expect(log.map((one: { event_type: string }) => one.event_type)).toEqual([
    'diary-entry.event.read',
    'diary-entry.event.updated',
    'diary-entry.event.created',
  ])
  for (const { relationships } of log) expect(relationships.resource_path.url).toBe(world.url + entry.path)
  expect(await readsOf(world.admin, 'diary-entry', entry.id)).toHaveLength(1)

  const around = (await world.admin.get(`${related}${about('diary-entry', entry.id)}`)).body.data
  expect(around.map((one: { resource_id: string }) => one.resource_id).sort()).toEqual(
    [customer.id, address.id].sort(),
  )
  const { body: document } = await world.nobody.get('/openapi.json')
  const known = document.components.schemas.ErasureRequest
  expect(JSON.stringify(known)).toContain('diary-entry')

  expect(await erase(world.admin, 'diary-entry', entry.id)).toMatchObject({ status: 'SUCCESS' })
  expect((await world.admin.get(entry.path)).status).toBe(404)
  expect(await placesOf(world, name)).toEqual([])
  expect(await readsOf(world.admin, 'diary-entry', entry.id)).toEqual([])
})

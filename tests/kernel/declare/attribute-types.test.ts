import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { resource } from '../../../server/kernel/declare/resource.ts'
import { module } from '../../../server/kernel/module.ts'
import { choice, text } from '../../../server/kernel/shape/fields.ts'
import { indexed, walks } from '../../../server/kernel/shape/model.ts'
import { keys } from '../../../server/people/index.ts'
import { openWorld, type World } from '../../support/world.ts'

/** A `type` among the attributes, which is another than the object's: as jobs and modifiers have. */
const tasks = resource({
  type: 'task',
  noun: ['task', 'tasks'],
  about: 'Something to do.',
  path: '/v2/tasks',
  table: 'tasks',
  fields: {
    type: choice(['copy', 'count'], { required: true, about: 'What is to be done.' }),
    name: text({ about: 'Any.' }),
  },
  filter: { ...walks, type: indexed('eq') },
  area: 'settings',
  envelope: {
    ...{ times: 'fields', digits: 3, fields: 'attributes', type: 'attributes' },
    ...{ links: 'none', href: 'absolute' },
  } as const,
})

let world: World
beforeAll(async () => {
  world = await openWorld({
    modules: [keys, module({ name: 'tasks', about: 'Things to do.', resources: [tasks] })],
    sql: `
      CREATE TABLE tasks (
        store_id uuid NOT NULL, id uuid NOT NULL, version integer NOT NULL DEFAULT 0,
        created_at timestamptz(3) NOT NULL, updated_at timestamptz(3) NOT NULL, doc json NOT NULL, hidden json,
        type text COLLATE "C" GENERATED ALWAYS AS (doc->'attributes'->>'type') STORED NOT NULL,
        CONSTRAINT tasks_pkey PRIMARY KEY (store_id, id));
      CREATE INDEX tasks_by_created_at ON tasks (store_id, created_at, id);
      CREATE INDEX tasks_by_type ON tasks (store_id, type, created_at, id);
      CALL track('tasks', $$'task'$$);`,
  })
})
afterAll(() => world.close())

const post = (data: object) => world.admin.post('/v2/tasks', { data })

test('a type among the attributes is an attribute of its own', async () => {
  const { status, body } = await post({ type: 'task', attributes: { type: 'copy', name: 'One' } })
  const { id } = body.data
  const { created_at, updated_at } = body.data.attributes
  const data = { type: 'task', id, attributes: { created_at, updated_at, type: 'copy', name: 'One' } }
  expect([status, body]).toEqual([201, { data }])
  const at = `/v2/tasks/${id}`
  expect((await world.admin.put(at, { data: { type: 'task', attributes: { name: 'Two' } } })).status).toBe(
    200,
  )
  const changed = await world.admin.put(at, { data: { type: 'task', attributes: { type: 'count' } } })
  expect(changed.body.data).toMatchObject({ type: 'task', attributes: { type: 'count', name: 'Two' } })
  const findByType = async (type: string) =>
    (await world.admin.get(`/v2/tasks?filter=eq(type,${type})`)).body.data
  expect([await findByType('copy'), await findByType('count')]).toEqual([[], [changed.body.data]])
  const { rows } = await world.feed('SELECT type, doc FROM changes WHERE id = $1 ORDER BY position DESC', [
    id,
  ])
  expect(rows[0]).toEqual({ type: 'task', doc: { attributes: { type: 'count', name: 'Two' } } })
})

test('each of the two types is refused under its own path', async () => {
  const refusal = async (data: object) => {
    const { status, body } = await post(data)
    return [status, body.errors?.[0].source]
  }
  expect(await refusal({ attributes: { type: 'copy' } })).toEqual([400, 'data.type'])
  expect(await refusal({ type: 'copy', attributes: { type: 'copy' } })).toEqual([400, 'data.type'])
  expect(await refusal({ type: 'task' })).toEqual([400, 'data.attributes'])
  expect(await refusal({ type: 'task', attributes: {} })).toEqual([400, 'data.attributes.type'])
  expect(await refusal({ type: 'task', attributes: { type: 'task' } })).toEqual([400, 'data.attributes.type'])
})

test('the API document describes both types', async () => {
  const { body } = await post({ type: 'task', attributes: { type: 'copy' } })
  const { components } = (await world.nobody.get('/openapi.json')).body
  const ajv = new Ajv2020({ strict: false })
  addFormats.default(ajv, ['date-time', 'uuid'])
  const validate = ajv.compile(components.schemas.Task)
  expect([validate(body.data), validate.errors]).toEqual([true, null])
  const { required, properties } = components.schemas.NewTask
  expect(required).toEqual(['type', 'attributes'])
  expect(properties.type).toEqual({ const: 'task' })
  expect(properties.attributes.required).toEqual(['type'])
  expect(properties.attributes.properties.type.enum).toEqual(['copy', 'count'])
})

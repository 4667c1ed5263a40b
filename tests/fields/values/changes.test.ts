import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeApi } from '../../builders/fields/custom-apis.ts'
import { makeFlow } from '../../builders/fields/flows.ts'
import { openWorld, type Reply, type World } from '../../support/world.ts'

/** What a change of a field does to stored values, for each kind of object that a store adds fields to. */
let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

interface Owner {
  /** Creates an object with these values, and returns the id. */
  readonly create: (values: object) => Promise<string>
  /** The names and values of the fields in the stored document, in their order. */
  readonly stored: (id: string) => Promise<Readonly<Record<string, unknown>>>
  readonly rename: (field: string, to: string) => Promise<Reply>
  readonly drop: (field: string) => Promise<Reply>
}

const names = ['first', 'middle', 'last']

async function storedIn(table: string, id: string, part: string) {
  const { rows } = await world.sql(`SELECT ${part} AS part FROM ${table} WHERE store_id = $1 AND id = $2`, [
    world.storeId,
    id,
  ])
  const known = Object.entries(rows[0].part).filter(([name]) => [...names, 'centre'].includes(name))
  return Object.fromEntries(known)
}

const idOf = ({ status, body }: Reply): string => {
  expect(status).toBe(201)
  return body.data.id
}

async function ofFlow(slug: string, table: string, part: string, create: Owner['create']): Promise<Owner> {
  const fields = Object.fromEntries(names.map((name) => [name, { field_type: 'string' }]))
  const flow = await makeFlow(world.admin, slug, fields)
  return {
    create,
    stored: (id) => storedIn(table, id, part),
    rename: (field, to) => flow.change(field, { slug: to }),
    drop: flow.drop,
  }
}

const product = (values: object) => ({
  data: { type: 'product', attributes: { name: 'A', commodity_type: 'digital', ...values } },
})

const owners: Readonly<Record<string, () => Promise<Owner>>> = {
  'an entry of a custom API': async () => {
    const api = await makeApi(world.admin, { first: ['string'], middle: ['string'], last: ['string'] })
    return {
      create: async (values) => idOf(await api.create(values)),
      stored: (id) => storedIn('entries', id, 'doc'),
      rename: (field, to) => api.putField(field, { slug: to }),
      drop: (field) => world.admin.delete(`${api.settings}/fields/${api.ids[field]}`),
    }
  },
  'an entry of a flow': () =>
    ofFlow('notes', 'flow_entries', 'doc', async (values) =>
      idOf(await world.admin.post('/v2/flows/notes/entries', { data: { type: 'entry', ...values } })),
    ),
  'an object with fields at the top': () =>
    ofFlow('accounts', 'accounts', 'doc', async (values) =>
      idOf(await world.admin.post('/v2/accounts', { data: { type: 'account', name: 'A', ...values } })),
    ),
  'an object with attributes': () =>
    ofFlow('products', 'products', "doc->'attributes'", async (values) =>
      idOf(await world.admin.post('/pcm/products', product(values))),
    ),
}

describe.for(Object.entries(owners))('%s', ([, make]) => {
  test('keeps the place and the text of a renamed value, and loses only the value of a deleted field', async () => {
    const owner = await make()
    const id = await owner.create({ first: 'a "b"', middle: 'ä\\n', last: '' })
    const before = Object.entries(await owner.stored(id))
    expect(before.length).toBe(3)
    expect((await owner.rename('middle', 'centre')).status).toBe(200)
    const renamed = before.map(([name, value]) => [name === 'middle' ? 'centre' : name, value])
    expect(Object.entries(await owner.stored(id))).toEqual(renamed)
    expect((await owner.drop('first')).status).toBe(204)
    expect(Object.entries(await owner.stored(id))).toEqual(renamed.filter(([name]) => name !== 'first'))
    const { rows } = await world.sql(
      `SELECT count(*) FROM entry_values v WHERE store_id = $1 AND entry_id = $2 AND field_id NOT IN
         (SELECT id FROM custom_fields UNION ALL SELECT id FROM flow_fields)`,
      [world.storeId, id],
    )
    expect(rows[0].count).toBe('0')
  })
})

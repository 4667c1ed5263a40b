import { afterAll, beforeAll, expect, test } from 'vitest'
import { resource } from '../../../server/kernel/declare/resource.ts'
import { module } from '../../../server/kernel/module.ts'
import { text } from '../../../server/kernel/shape/fields.ts'
import { walks } from '../../../server/kernel/shape/model.ts'
import { keys } from '../../../server/people/index.ts'
import { openWorld, type World } from '../../support/world.ts'

/** A list whose offsets end somewhere, as the public contract has it in places. */
const pebbles = resource({
  type: 'pebble',
  noun: ['pebble', 'pebbles'],
  about: 'One of many.',
  path: '/v2/pebbles',
  table: 'pebbles',
  fields: { name: text({ required: true, about: 'Any.' }) },
  filter: { ...walks, name: ['like'] },
  sort: ['created_at', 'id'],
  offsetMax: 10,
  area: 'settings',
  envelope: { times: 'meta', digits: 3, fields: 'top', links: 'none', href: 'absolute' },
})

const count = 35

let world: World
beforeAll(async () => {
  world = await openWorld({
    modules: [keys, module({ name: 'pebbles', about: 'Many of one.', resources: [pebbles] })],
    sql: `CREATE TABLE pebbles (
      store_id uuid NOT NULL, id uuid NOT NULL, version integer NOT NULL DEFAULT 0,
      created_at timestamptz(3) NOT NULL, updated_at timestamptz(3) NOT NULL, doc json NOT NULL, hidden json,
      name text COLLATE "C" GENERATED ALWAYS AS (doc->>'name') STORED NOT NULL,
      CONSTRAINT pebbles_pkey PRIMARY KEY (store_id, id));
    CREATE INDEX pebbles_by_created_at ON pebbles (store_id, created_at, id);
    CALL track('pebbles', $$'pebble'$$);`,
  })
  await world.sql(
    `INSERT INTO pebbles (store_id, id, created_at, updated_at, doc)
     SELECT $1, gen_random_uuid(), now(), now(), json_build_object('name', 'p' || i) FROM generate_series(1, ${count}) i`,
    [world.storeId],
  )
})
afterAll(() => world.close())

const pages = async (from: string, direction: 'next' | 'prev') => {
  const pages: string[][] = []
  for (let at: string | null = from; at && pages.length < 100; ) {
    const { status, body } = await world.admin.get(at)
    expect(status, at).toBe(200)
    pages.push(body.data.map(({ id }: { id: string }) => id))
    at = body.links[direction]
  }
  return pages
}

test('an offset up to the maximum is answered, a higher one is refused', async () => {
  const at = (offset: number) => world.admin.get(`/v2/pebbles?page[limit]=5&page[offset]=${offset}`)
  expect((await at(10)).body.data).toHaveLength(5)
  const { status, body } = await at(11)
  expect([status, body.errors[0]]).toMatchObject([
    400,
    { code: 'bad_page', source: 'page[offset]', detail: expect.stringContaining('from 0 to 10, not 11') },
  ])
})

test.each(['', '&sort=id', '&sort=-created_at', '&filter=like(name,p*)'])(
  'links lead to the whole list and to its end%s',
  async (more) => {
    for (const limit of [1, 4, 5, 7, 11, 100]) {
      const start = `/v2/pebbles?page[limit]=${limit}${more}`
      const forth = await pages(start, 'next')
      expect(new Set(forth.flat()).size).toBe(count)
      expect(forth.flat()).toHaveLength(count)
      const { last, next } = (await world.admin.get(start)).body.links
      expect(last).toContain(count - 1 - ((count - 1) % limit) > 10 ? 'page%5Bbefore%5D=' : 'offset')
      if (limit < 11) expect(next).toContain(`page%5Boffset%5D=${limit}`)
      expect((await pages(last, 'prev')).reverse().flat()).toEqual(forth.flat())
    }
  },
)

test('the API document states the maximum', async () => {
  const { parameters } = (await world.nobody.get('/openapi.json')).body.paths['/v2/pebbles'].get
  const offset = parameters.find(({ name }: { name: string }) => name === 'page[offset]')
  expect(offset.schema).toMatchObject({ minimum: 0, maximum: 10 })
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { png, uploaded } from '../../builders/store/uploads.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const list = (query: string) => world.admin.get(`/v2/files?${query}`)
const names = async (filter: string) => {
  const { status, body } = await list(`filter=${encodeURIComponent(filter)}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body.data.map(({ file_name }: { file_name: string }) => file_name).sort()
}

test('files are found by name and by size', async () => {
  const small = await uploaded(world, { name: 'small.png', content: png(10, 20) })
  const wide = await uploaded(world, { name: 'wide.png', content: png(300, 20) })
  await uploaded(world, { name: 'text.txt', content: 'x'.repeat(1000) })
  expect(await names('eq(file_name,small.png)')).toEqual(['small.png'])
  expect(await names('like(file_name,*.png)')).toEqual(['small.png', 'wide.png'])
  expect(await names('gt(width,10)')).toEqual(['wide.png'])
  expect(await names('ge(width,10):le(width,10)')).toEqual(['small.png'])
  expect(await names('lt(height,21)')).toEqual(['small.png', 'wide.png'])
  expect(await names('ge(file_size,1000)')).toEqual(['text.txt'])
  expect(await names('lt(file_size,1000):gt(height,19.5)')).toEqual(['small.png', 'wide.png'])
  expect(await names(`in(id,${small.id},${wide.id})`)).toEqual(['small.png', 'wide.png'])
  expect((await list('filter=eq(width,10)')).status).toBe(400)
})

test('an offset beyond 10,000 is refused; links and walks go on', async () => {
  const count = 10_030
  await world.sql(
    `INSERT INTO files (store_id, id, created_at, updated_at, doc)
     SELECT $1, gen_random_uuid(), now() - i * interval '1 s', now(),
       json_build_object('file_name', 'many ' || i || '.txt', 'mime_type', 'text/plain', 'file_size', i, 'public', true)
     FROM generate_series(1, ${count}) i`,
    [world.storeId],
  )
  const total = (await list('page[limit]=1')).body.meta.results.total as number
  expect(total).toBe(count + 3)
  const refused = await list('page[offset]=10001')
  expect([refused.status, refused.body.errors[0]]).toMatchObject([
    400,
    { code: 'bad_page', source: 'page[offset]' },
  ])
  const met = new Set<string>()
  for (let at: string | null = `/v2/files?page[limit]=100&page[offset]=9900`; at; ) {
    const { status, body } = await world.admin.get(at)
    expect(status).toBe(200)
    for (const { id } of body.data) met.add(id)
    at = body.links.next
  }
  expect(met.size).toBe(total - 9900)
})

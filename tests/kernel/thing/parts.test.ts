import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openWorld, type World } from '../../support/world.ts'
import { appAndWorkshop } from '../../workshop/index.ts'

/** Parts of a thing: the labels on the sides of a crate. */

let world: World
beforeAll(async () => {
  world = await openWorld(appAndWorkshop)
})
afterAll(() => world.close())

let crate = ''
beforeEach(async () => {
  const { body } = await world.admin.post('/v2/crates', { data: { type: 'crate' } })
  crate = `/v2/crates/${body.data.id}`
})

const label = (words: string, more: object = {}) => ({ data: { type: 'label', words, ...more } })
const put = (words: string, { side = 'top', ...more }: { side?: string; loose?: boolean } = {}) =>
  world.admin.post(`${crate}/sides/${side}/labels`, label(words, more))
const wordsOn = async (side: string): Promise<readonly string[]> =>
  (await world.admin.get(`${crate}/sides/${side}/labels`)).body.data.map(
    (one: { words: string }) => one.words,
  )
const faultsOf = ({ body }: { body: { errors?: readonly { detail: string; source?: string }[] } }) =>
  (body.errors ?? []).map(({ detail, source }) => [detail, source])

test('a part is created, listed, read, changed and deleted, and its thing changes with it', async () => {
  const before = await world.admin.get(crate)
  const created = await put('Glass', { loose: true })
  expect([created.status, created.body.data]).toEqual([
    201,
    { ...created.body.data, type: 'label', side: 'top', words: 'Glass', loose: true },
  ])
  const path = `${crate}/sides/top/labels/${created.body.data.id}`
  expect((await world.admin.get(path)).body).toEqual(created.body)
  const updated = await world.admin.put(path, { data: { words: 'Paper' } })
  expect([updated.status, updated.body.data]).toEqual([
    200,
    { ...created.body.data, words: 'Paper', changed_at: updated.body.data.changed_at },
  ])
  expect(await wordsOn('top')).toEqual(['Paper'])
  expect(await wordsOn('front')).toEqual([])
  expect((await world.admin.get(crate)).headers.get('etag')).not.toBe(before.headers.get('etag'))
  expect((await world.admin.delete(path)).status).toBe(204)
  expect(await wordsOn('top')).toEqual([])
})

test('an id is found in capitals too, and an update changes that part', async () => {
  const { body } = await put('Glass')
  const path = `${crate}/sides/top/labels/${body.data.id.toUpperCase()}`
  expect((await world.admin.get(path)).body.data.words).toBe('Glass')
  expect((await world.admin.put(path, { data: { words: 'Paper' } })).body.data.words).toBe('Paper')
  expect(await wordsOn('top')).toEqual(['Paper'])
})

test('a part keeps its place in the list when it changes', async () => {
  const { body } = await put('Glass')
  await put('Paper')
  await world.admin.put(`${crate}/sides/top/labels/${body.data.id}`, { data: { words: 'Wood' } })
  expect(await wordsOn('top')).toEqual(['Wood', 'Paper'])
})

test('what a create requires, an update may leave out', async () => {
  const path = `${crate}/sides/top/labels`
  expect(faultsOf(await world.admin.post(path, { data: { type: 'label' } }))).toMatchObject([
    [expect.stringContaining('data.words'), 'data.words'],
  ])
  const { body } = await put('Glass')
  const updated = await world.admin.put(`${path}/${body.data.id}`, { data: { loose: true } })
  expect(updated.body.data).toMatchObject({ words: 'Glass', loose: true })
})

test.for([
  ['a part', (side: string) => `sides/${side}/labels/${randomUUID()}`],
  [
    'a part of another place',
    async (side: string) => `sides/${side}/labels/${(await put('Glass', { side: 'front' })).body.data.id}`,
  ],
] as const)('%s that is not there cannot be read, changed or deleted', async ([, pathOf]) => {
  const path = `${crate}/${await pathOf('top')}`
  const replies = [
    await world.admin.get(path),
    await world.admin.put(path, { data: { words: 'Paper' } }),
    await world.admin.delete(path),
  ]
  expect(replies.map(({ status }) => status)).toEqual([404, 404, 404])
})

test('a place or a thing that does not exist is a 404', async () => {
  const replies = [
    await put('Glass', { side: 'back' }),
    await world.admin.get(`${crate}/sides/back/labels`),
    await world.admin.post(`/v2/crates/no-crate/sides/top/labels`, label('Glass')),
    await world.admin.get(`/v2/crates/no-crate/sides/top/labels`),
    await world.admin.delete(`${crate}/labels`),
  ]
  expect(replies.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404])
  expect(replies[0]?.body.errors[0].source).toBe('data')
})

test('a place has so many parts and no more, also if many are added at the same time', async () => {
  const replies = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((words) => put(words)))
  expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 422, 422])
  expect(replies.find(({ status }) => status === 422)?.body.errors).toEqual([
    {
      ...{ title: 'No room', status: '422', code: 'unprocessable', source: 'data', meta: { side: 'top' } },
      detail: 'A side of a crate has at most 3 labels.',
    },
  ])
  expect((await put('front', { side: 'front' })).status).toBe(201)
})

test('the rules of a part refuse it, and what a request tells the thing reaches them', async () => {
  const path = `${crate}/sides/top/labels`
  const refused = await world.admin.post(path, label('Glass'), { 'X-Put-By': 'a robot' })
  expect([refused.status, await wordsOn('top')]).toEqual([403, []])
  const { body } = await put('Glass')
  expect((await world.admin.delete(`${path}/${body.data.id}`)).status).toBe(400)
  expect(await wordsOn('top')).toEqual(['Glass'])
})

const many = (labels: readonly (readonly [side: string, words: string])[], options?: object) =>
  world.admin.post(`${crate}/labels`, {
    data: labels.map(([side, words]) => ({ side, words })),
    ...(options && { options }),
  })

test('of many parts those that cannot be added are named beside those that can', async () => {
  const mixed = [
    ['top', 'a'],
    ['inside', 'b'],
    ['front', 'c'],
  ] as const
  const reply = await many(mixed)
  expect([reply.status, reply.body.data.map(({ side }: { side: string }) => side)]).toEqual([
    201,
    ['top', 'front'],
  ])
  expect(faultsOf(reply)).toEqual([[expect.stringContaining('inside'), 'data.1']])
  expect([await wordsOn('top'), await wordsOn('front')]).toEqual([['a'], ['c']])
})

test('many parts are added all or not at all where the request says so, or where none can be added', async () => {
  const strict = { add_all_or_nothing: true }
  const refused = await many(
    [
      ['top', 'a'],
      ['inside', 'b'],
    ],
    strict,
  )
  expect([refused.status, faultsOf(refused)]).toEqual([
    422,
    [[expect.stringMatching(/^No label was added\. .*inside/), undefined]],
  ])
  expect(
    (
      await many([
        ['inside', 'a'],
        ['inside', 'b'],
      ])
    ).status,
  ).toBe(404)
  expect(await wordsOn('top')).toEqual([])
  expect(
    (
      await many(
        [
          ['top', 'a'],
          ['front', 'b'],
        ],
        strict,
      )
    ).status,
  ).toBe(201)
  expect((await many([['top', 'a']], { add_all_or_nothing: 'yes' })).status).toBe(400)
})

test('the parts of all places go at once', async () => {
  await many([
    ['top', 'a'],
    ['front', 'b'],
  ])
  expect((await world.admin.delete(`${crate}/labels`)).status).toBe(204)
  expect([await wordsOn('top'), await wordsOn('front')]).toEqual([[], []])
})

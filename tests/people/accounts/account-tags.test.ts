import { afterAll, beforeAll, expect, test } from 'vitest'
import { account, tagLinks } from '../../builders/people/accounts.ts'
import { body, idOf, statuses, times } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

let tagCount = 0
const newTag = () =>
  idOf(world.admin.post('/v2/account-tags', body('account_tag', { name: `Tag ${++tagCount}` })))
const newAccount = (fields: object = {}) => idOf(world.admin.post('/v2/accounts', account(fields)))
const tagsOf = (id: string) => `/v2/accounts/${id}/relationships/account-tags`
const untag = (id: string, ...tags: string[]) =>
  world.admin.send('DELETE', tagsOf(id), { body: JSON.stringify(tagLinks(...tags)) })
const shownTags = async (id: string) =>
  (await world.admin.get(`/v2/accounts/${id}`)).body.data.relationships?.account_tags

test('a name belongs to one tag', async () => {
  const tag = body('account_tag', { name: 'Wholesale', description: 'By the pallet' })
  expect(await statuses(times(5, () => world.admin.post('/v2/account-tags', tag)))).toEqual({
    201: 1,
    409: 4,
  })
  const second = await newTag()
  expect((await world.admin.put(`/v2/account-tags/${second}`, tag)).status).toBe(409)
  const { body: list } = await world.admin.get('/v2/account-tags?sort=name&filter=like(name,Who*)')
  expect(list.data[0]).toMatchObject({ type: 'account_tag', name: 'Wholesale', description: 'By the pallet' })
  expect(list.data[0].links.self).toBe(`${world.url}/v2/account-tags/${list.data[0].id}`)
})

test('every change of an account’s tags returns all of them and makes a new version of the account', async () => {
  const id = await newAccount()
  const [first, second] = [await newTag(), await newTag()]
  const before = (await world.admin.get(`/v2/accounts/${id}`)).headers.get('etag')
  const added = await world.admin.post(tagsOf(id), tagLinks(first, second, first.toUpperCase()))
  expect(added.status).toBe(200)
  expect(added.body).toEqual({ ...tagLinks(first, second), links: { self: world.url + tagsOf(id) } })
  expect((await world.admin.get(tagsOf(id))).body).toEqual(added.body)
  expect(await shownTags(id)).toEqual(tagLinks(first, second))

  const after = (await world.admin.get(`/v2/accounts/${id}`)).headers.get('etag')
  expect(after).not.toBe(before)
  expect((await world.admin.post(tagsOf(id), tagLinks(first))).body).toEqual(added.body)
  expect((await world.admin.get(`/v2/accounts/${id}`)).headers.get('etag')).toBe(after)

  const removed = await untag(id, first)
  expect([removed.status, removed.body.data]).toEqual([200, tagLinks(second).data])
  expect((await untag(id, first, second)).body.data).toEqual([])
  expect(await shownTags(id)).toBeUndefined()
})

test('an update of the account keeps its tags and its parent, even if it sends others', async () => {
  const parent_id = await newAccount()
  const id = await newAccount({ parent_id })
  const tag = await newTag()
  await world.admin.post(tagsOf(id), tagLinks(tag))
  const forged = { account_tags: { data: [] }, ancestors: [] }
  const { body } = await world.admin.put(
    `/v2/accounts/${id}`,
    account({ name: 'New', relationships: forged }),
  )
  expect(body.data).toMatchObject({ name: 'New', parent_id, relationships: { account_tags: tagLinks(tag) } })
  await untag(id, tag)
  expect((await world.admin.get(`/v2/accounts/${id}`)).body.data.relationships.ancestors).toHaveLength(1)
})

test('accounts can be filtered by tag', async () => {
  const tag = await newTag()
  const ids = await Promise.all(times(3, () => newAccount()))
  await Promise.all(ids.slice(0, 2).map((id) => world.admin.post(tagsOf(id), tagLinks(tag))))
  const { body } = await world.admin.get(
    `/v2/accounts?filter=contains(account_tags,${tag.toUpperCase()})&sort=id`,
  )
  expect(body.data.map(({ id }: { id: string }) => id)).toEqual(ids.slice(0, 2).sort())
  expect((await world.other.get(`/v2/accounts?filter=contains(account_tags,${tag})`)).body.data).toEqual([])
  expect((await world.admin.get('/v2/accounts?filter=contains(account_tags,vip)')).status).toBe(400)
})

test('a deleted tag is on no account', async () => {
  const [tag, remaining] = [await newTag(), await newTag()]
  const parent_id = await newAccount()
  const ids = [await newAccount({ parent_id }), await newAccount(), await newAccount()]
  await world.admin.post(tagsOf(ids[0] as string), tagLinks(tag))
  await world.admin.post(tagsOf(ids[1] as string), tagLinks(remaining, tag))
  const untouched = (await world.admin.get(`/v2/accounts/${ids[2]}`)).headers.get('etag')
  expect((await world.admin.delete(`/v2/account-tags/${tag}`)).status).toBe(204)
  const { relationships } = (await world.admin.get(`/v2/accounts/${ids[0]}`)).body.data
  expect(Object.keys(relationships)).toEqual(['parent', 'ancestors'])
  expect(await shownTags(ids[1] as string)).toEqual(tagLinks(remaining))
  expect((await world.admin.get(`/v2/accounts/${ids[2]}`)).headers.get('etag')).toBe(untouched)
  expect((await world.admin.get(`/v2/accounts?filter=contains(account_tags,${tag})`)).body.data).toEqual([])
  const { rows } = await world.feed(`SELECT event, actor FROM changes WHERE id = $1 ORDER BY position`, [
    ids[0],
  ])
  expect(rows.map(({ event }) => event)).toEqual(['created', 'updated', 'updated'])
  expect(new Set(rows.map(({ actor }) => actor)).size).toBe(1)
})

test('a deleted tag leaves more accounts than fit in one batch', async () => {
  const tag = await newTag()
  const doc = JSON.stringify({ name: 'Many', relationships: { account_tags: tagLinks(tag) } })
  await world.sql(
    `INSERT INTO accounts (store_id, id, created_at, updated_at, doc)
     SELECT $1, gen_random_uuid(), now(), now(), $2 FROM generate_series(1, 2500)`,
    [world.storeId, doc],
  )
  const tagged = async () =>
    (await world.admin.get(`/v2/accounts?filter=contains(account_tags,${tag})`)).body.meta.results.total
  expect(await tagged()).toBe(2500)
  expect((await world.admin.delete(`/v2/account-tags/${tag}`)).status).toBe(204)
  expect(await tagged()).toBe(0)
})

test('concurrent changes of one account’s tags are all stored', async () => {
  const id = await newAccount()
  const tags = await Promise.all(times(12, newTag))
  const writes = tags.map((tag) => world.admin.post(tagsOf(id), tagLinks(tag)))
  const renames = times(4, (i) => world.admin.put(`/v2/accounts/${id}`, account({ legal_name: `Name ${i}` })))
  expect(await statuses([...writes, ...renames])).toEqual({ 200: 16 })
  const { data } = (await world.admin.get(tagsOf(id))).body
  expect(data.map((tag: { id: string }) => tag.id).sort()).toEqual([...tags].sort())
})

test('a tag that is deleted while it is added leaves no link', async () => {
  for (let round = 0; round < 10; round++) {
    const [id, tag] = [await newAccount(), await newTag()]
    const [added, deleted] = await Promise.all([
      world.admin.post(tagsOf(id), tagLinks(tag)),
      world.admin.delete(`/v2/account-tags/${tag}`),
    ])
    expect(deleted.status).toBe(204)
    expect([200, 404]).toContain(added.status)
    expect(await shownTags(id)).toBeUndefined()
  }
})

test('two tags of the same accounts can be deleted at the same time', async () => {
  const [one, two] = [await newTag(), await newTag()]
  const ids = await Promise.all(times(6, () => newAccount()))
  await Promise.all(ids.map((id) => world.admin.post(tagsOf(id), tagLinks(one, two))))
  const deletes = [one, two].map((tag) => world.admin.delete(`/v2/account-tags/${tag}`))
  expect(await statuses(deletes)).toEqual({ 204: 2 })
  for (const id of ids) expect(await shownTags(id)).toBeUndefined()
})

test('links.self is the canonical address, however the request spelled it', async () => {
  const id = await newAccount()
  const { body } = await world.admin.get(tagsOf(id.toUpperCase()))
  expect(body.links.self).toBe(`${world.url}${tagsOf(id)}`)
  const nothing = await world.admin.post(tagsOf(id), {})
  expect(nothing.body.errors[0].detail).toBe("The field 'data' is required (data).")
})

test('a body that is not a list of existing tags is refused', async () => {
  const id = await newAccount()
  const tag = await newTag()
  const foreign = await idOf(world.other.post('/v2/account-tags', body('account_tag', { name: 'Theirs' })))
  const cases: [body: unknown, status: number, source: string][] = [
    [undefined, 400, 'data'],
    [[], 400, 'data'],
    [{ data: { type: 'account_tag', id: tag } }, 400, 'data'],
    [{ data: [{ type: 'account_tag' }] }, 400, 'data.0.id'],
    [{ data: [{ type: 'tag', id: tag }] }, 400, 'data.0.type'],
    [{ data: [{ type: 'account_tag', id: 'vip' }] }, 400, 'data.0.id'],
    [{ data: times(201, () => ({ type: 'account_tag', id: tag })) }, 400, 'data'],
    [tagLinks(tag, foreign), 404, 'data.1.id'],
  ]
  for (const [sent, status, source] of cases) {
    const reply = await world.admin.post(tagsOf(id), sent)
    expect(reply.status, JSON.stringify(reply.body)).toBe(status)
    expect(reply.body.errors[0].source).toBe(source)
  }
  expect((await world.admin.delete(tagsOf(id))).status).toBe(400)
  expect((await world.admin.send('DELETE', tagsOf(id), { body: '{' })).status).toBe(400)
  const nowhere = tagsOf('00000000-0000-4000-8000-000000000000')
  expect(
    await statuses([
      world.admin.get(nowhere),
      world.admin.post(nowhere, tagLinks(tag)),
      world.other.get(tagsOf(id)),
      world.admin.get(tagsOf('x')),
    ]),
  ).toEqual({ 404: 4 })
  expect(await shownTags(id)).toBeUndefined()
})

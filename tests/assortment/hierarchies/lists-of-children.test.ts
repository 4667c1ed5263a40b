import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeHierarchy, makeNode, nodePath } from '../../builders/assortment/hierarchies.ts'
import { type Merger, takeOverMerging } from '../../support/merge-totals.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let merger: Merger
beforeAll(async () => {
  world = await openWorld({ alone: true })
  // So small that some dozens of rows make blocks on both levels.
  merger = await takeOverMerging(world, 6, 4)
})
afterAll(async () => {
  await merger.close()
  await world.close()
})

test('a moved node leaves one list of children and enters another, also with merged blocks', async () => {
  const { admin } = world
  const { id: h } = await makeHierarchy(admin)
  const from = (await makeNode(admin, h)).id
  const to = (await makeNode(admin, h)).id
  const requests = Array.from({ length: 32 }, () => makeNode(admin, h, undefined, { parent: from }))
  const ids = (await Promise.all(requests)).map(({ id }) => id as string).sort()
  const [stay, go] = [ids.filter((_, i) => i % 4 === 0), ids.filter((_, i) => i % 4 !== 0)]
  await merger.merge()

  let lastChange = ''
  let movedAt = '2999-01-01T00:00:00.000Z'
  let moved: readonly string[] = []
  const expectTrue = async (when: string, parent: string, there: readonly string[]) => {
    const list = async (query: string) => {
      const { status, body } = await admin.get(`${nodePath(h, parent)}/children?page[limit]=20&${query}`)
      expect([query, status]).toEqual([query, 200])
      return body
    }
    const met: string[] = []
    for (let offset = 0; offset <= there.length; offset += 20) {
      const { data, meta } = await list(`page[offset]=${offset}`)
      expect(meta.results.total, `the total ${when}`).toBe(there.length)
      for (const { id, meta } of data) {
        met.push(id)
        if (meta.updated_at > lastChange) lastChange = meta.updated_at
      }
    }
    expect(met.toSorted(), `who is there ${when}`).toEqual(there)
    // These totals come from blocks.
    for (const at of [1, 9, 20].filter((at) => there[at])) {
      const { results } = (await list(`filter=gt(id,${there[at]})`)).meta
      expect(results.total, `how many come after one, ${when}`).toBe(there.length - at - 1)
    }
    const { results } = (await list(`filter=gt(updated_at,${movedAt})`)).meta
    expect(results.total, `how many changed since, ${when}`).toBe(
      moved.filter((id) => there.includes(id)).length,
    )
  }
  const move = async (parent: string, some: readonly string[]) => {
    movedAt = lastChange
    moved = some
    const data = some.map((id) => ({ type: 'node', id }))
    const { status } = await admin.post(`${nodePath(h, parent)}/relationships/children`, { data })
    expect(status).toBe(200)
  }
  await expectTrue('at first', from, ids)
  await move(to, go)
  for (const when of ['after they moved', 'after merging']) {
    await expectTrue(when, from, stay)
    await expectTrue(when, to, go)
    await merger.merge()
  }
  await move(from, go)
  await merger.merge()
  await expectTrue('when they are back', from, ids)
  await expectTrue('when they have left', to, [])
})

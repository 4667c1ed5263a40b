import { expect, test } from 'vitest'
import { UnreadableAnswer } from '../../../tools/copying/read-answer.ts'
import type { Remote } from '../../../tools/copying/remote.ts'
import { walk, whole } from '../../../tools/copying/walk.ts'

/** Lists that cannot be walked by id are read page by page. */

const objects = (from: number, count: number) =>
  Array.from({ length: Math.max(count, 0) }, (_, i) => ({ id: `o-${from + i}` }))

/** A server of a list with `size` objects, whose pages have at most `pageMax`. */
function serverOf(size: number, { pageMax = 100, saysTotal = true, hasPages = true } = {}) {
  const paths: string[] = []
  const remote = {
    get: async (path: string) => {
      paths.push(path)
      const offset = Number(/offset%5D=(\d+)/.exec(path)?.[1] ?? 0)
      const data = hasPages ? objects(offset, Math.min(pageMax, size - offset)) : objects(0, size)
      return { status: 200, body: { data, ...(saysTotal && { meta: { results: { total: size } } }) } }
    },
  } as unknown as Remote
  return { remote, paths }
}

async function idsOf(remote: Remote, path = '/v2/odd'): Promise<readonly string[]> {
  const found: string[] = []
  for await (const { id } of walk(remote, path, undefined)) found.push(id as string)
  return found
}
const ids = (count: number) => objects(0, count).map(({ id }) => id)

test.each([
  [0, {}, 1],
  [99, {}, 1],
  [100, {}, 1],
  [101, {}, 2],
  [100, { saysTotal: false }, 2],
  [250, { saysTotal: false }, 3],
  [7, { pageMax: 3 }, 3],
])('a list of %i objects (%j) is read whole, with %i requests', async (size, options, requests) => {
  const { remote, paths } = serverOf(size, options)
  expect(await idsOf(remote)).toEqual(ids(size))
  expect(paths.length).toBe(requests)
})

test('each object of a list without pages is found once, and the reading ends', async () => {
  const { remote, paths } = serverOf(150, { hasPages: false, saysTotal: false })
  expect(await idsOf(remote)).toEqual(ids(150))
  expect(paths.length).toBe(2)
})

test('a list that is longer than its pages reach is refused, not copied in part', async () => {
  await expect(idsOf(serverOf(10_101).remote)).rejects.toThrow(UnreadableAnswer)
  expect((await idsOf(serverOf(10_100).remote)).length).toBe(10_100)
})

test('the query of a list stays beside its pages', async () => {
  const { remote, paths } = serverOf(1)
  await idsOf(remote, '/v2/odd?filter=eq(type,x)')
  expect(paths).toEqual(['/v2/odd?filter=eq(type,x)&page%5Blimit%5D=100&page%5Boffset%5D=0'])
})

test('a list that has no pages is asked for without them', async () => {
  const { remote, paths } = serverOf(3, { hasPages: false })
  const found: unknown[] = []
  for await (const { id } of whole(remote, '/v2/odd')) found.push(id)
  expect([found, paths]).toEqual([ids(3), ['/v2/odd']])
})

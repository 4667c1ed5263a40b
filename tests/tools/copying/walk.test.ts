import { expect, test } from 'vitest'
import { accounts } from '../../../server/people/accounts/accounts.ts'
import { UnreadableAnswer } from '../../../tools/copying/read-answer.ts'
import type { Remote } from '../../../tools/copying/remote.ts'
import { walk } from '../../../tools/copying/walk.ts'

const ids = [1, 2, 3].map((n) => `00000000-0000-0000-0000-00000000000${n}`)

/** A server whose pages have two objects. */
const serverOf = (pageAfter: (last: string) => readonly string[]) =>
  ({
    get: async (path: string) => {
      const [, last = ''] = /gt\(id,([0-9a-f-]+)\)/.exec(decodeURIComponent(path)) ?? []
      return { status: 200, body: { data: pageAfter(last).map((id) => ({ id })) } }
    },
  }) as unknown as Remote

async function idsOf(remote: Remote): Promise<readonly string[]> {
  const found: string[] = []
  for await (const { id } of walk(remote, '/v2/accounts', accounts)) found.push(id)
  return found
}

test('a list is walked by id to its end', async () => {
  expect(await idsOf(serverOf((last) => ids.filter((id) => id > last).slice(0, 2)))).toEqual(ids)
})

test('the walk of a list whose server ignores the filter ends', async () => {
  await expect(idsOf(serverOf(() => ids.slice(0, 2)))).rejects.toThrow(UnreadableAnswer)
})

test.each([
  ['falls', [ids[1], ids[0]]],
  ['stands still', [ids[0], ids[0]]],
  ['has no ids', [undefined]],
])('a walk that %s ends', async (_what, page) => {
  await expect(idsOf(serverOf(() => page as string[]))).rejects.toThrow(/may have no end/)
})

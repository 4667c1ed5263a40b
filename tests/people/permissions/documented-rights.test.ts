import { afterAll, beforeAll, expect, test } from 'vitest'
import { sutlerApi } from '../../../server/api-document.ts'
import { colleagueOf } from '../../builders/people/colleagues.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const reads = Object.entries(sutlerApi().paths as Record<string, Record<string, Record<string, unknown>>>)
  .filter(([path]) => !path.includes('{'))
  .flatMap(([path, { get }]) =>
    get?.['x-sutler-right'] ? [{ path, right: String(get['x-sutler-right']) }] : [],
  )

test.each(['Marketing/Sales', 'IT/Developer', 'Basic'])(
  'the document and the own permissions of %s say together which reads are refused, and the refusal names the right',
  async (role) => {
    const { client } = await colleagueOf(world, role)
    const { areas } = (await client.get('/v2/permissions/own')).body.data
    const refused: string[] = []
    for (const { path, right } of reads) {
      const { status, body } = await client.get(path)
      expect([path, status === 403]).toEqual([path, !areas[right.replace('read ', '')]])
      if (status !== 403) continue
      refused.push(path)
      expect(body.errors[0].detail).toContain(`the right to ${right}.`)
    }
    expect(refused.length).toBeGreaterThan(0)
    expect(refused.length).toBeLessThan(reads.length)
  },
)

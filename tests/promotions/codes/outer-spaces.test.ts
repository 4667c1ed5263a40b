import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findEnteredCodes } from '../../../server/promotions/index.ts'
import { addCodes, kinds, makeCode, makePromotion, newCode, spend } from '../../builders/promotions/codes.ts'
import { openWorld, type World } from '../../support/world.ts'

// biome-ignore lint/suspicious/noExplicitAny: as for Reply.
type Any = any

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

/** White space of several kinds: blanks, a tab, a line break, a no-break space, an ideographic space. */
const spaced = (code: string) => ` \t\u00a0${code}\u3000\r\n `
const codesOf = ({ body }: Any): string[] => body.data.map(({ code }: Any) => code).sort()

describe.each(kinds)('white space at the ends of a code of %s', (kind) => {
  test('is not stored', async () => {
    const promotion = await makePromotion(world.admin, kind)
    const code = newCode()
    const added = await addCodes(world.admin, promotion, { code: spaced(code) }, { code: `${code} or not` })
    expect(added.status).toBe(201)
    expect(codesOf(await world.admin.get(`${promotion}/codes`))).toEqual([code, `${code} or not`])
    const again = await addCodes(world.admin, promotion, { code: `${code} ` })
    expect([again.status, again.body.errors[0].title]).toEqual([422, 'Duplicate code'])
    const twice = newCode()
    const both = await addCodes(world.admin, promotion, { code: twice }, { code: ` ${twice}` })
    expect([both.status, both.body.errors[0].meta.codes]).toEqual([422, [twice]])
    for (const nothing of ['  ', '\u00a0']) {
      const refused = await addCodes(world.admin, promotion, { code: nothing })
      expect([refused.status, refused.body.errors[0].source]).toEqual([400, 'data.codes.0.code'])
    }
  })

  test('does not count where a code is entered, spent, read, filtered or deleted', async () => {
    const { code, promotionId, promotion } = await makeCode(world.admin, kind, { uses: 5 })
    const typed = spaced(code)
    expect(await findEnteredCodes(world.work, [typed], {})).toMatchObject([{ code, promotionId }])
    expect(await spend(world, [{ code: typed, promotionId, uses: 1 }])).toEqual([])
    const path = `${promotion}/codes/${encodeURIComponent(typed)}`
    expect((await world.admin.get(path)).body.data).toMatchObject({ code, uses: 4 })
    expect((await world.admin.get(`${path}/usages`)).body.data).toHaveLength(1)
    const filter = encodeURIComponent(`eq(code,"${typed}")`)
    expect(codesOf(await world.admin.get(`${promotion}/codes?filter=${filter}`))).toEqual([code])
    expect((await world.admin.delete(path)).status).toBe(204)
    expect((await world.admin.get(`${promotion}/codes`)).body.data).toEqual([])
  })
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { Merchant } from '../../builders/assortment/variations.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let merchant: Merchant
beforeAll(async () => {
  world = await openWorld()
  merchant = new Merchant(world)
})
afterAll(() => world.close())

const idsIn = (matrix: object): string[] =>
  Object.values(matrix).flatMap((inside) => (typeof inside === 'string' ? [inside] : idsIn(inside)))

test('edits and deletions during a build keep their effect, and the matrix is right', async () => {
  const names = Array.from({ length: 7 }, (_, i) => `o${i}`)
  const [one, two] = [await merchant.variation('One', ...names), await merchant.variation('Two', ...names)]
  const id = await merchant.product({ sku: 'box', description: 'As made.' })
  await merchant.link(id, one.id, two.id)
  expect(await merchant.build(id)).toEqual([])
  const [edited, deleted] = [Object.values(await merchant.children(id)).slice(0, 8), [] as string[]]
  for (const child of Object.values(await merchant.children(id)).slice(8, 16)) deleted.push(child)
  await merchant.change(id, { description: 'As built.' })
  const statuses = await Promise.all([
    merchant.build(id),
    ...edited.map((child) => merchant.change(child, { mpn: `edited ${child}` })),
    ...deleted.map(async (child) => (await world.admin.delete(`/pcm/products/${child}`)).status),
    merchant.build(id),
  ])
  expect(statuses.filter((status) => typeof status === 'number')).toEqual(deleted.map(() => 204))
  expect([statuses[0], statuses.at(-1)]).toEqual([[], []])

  const { body } = await world.admin.get(`/pcm/products/${id}/children?page[limit]=100`)
  const children = body.data as { id: string; attributes: { mpn?: string; description: string } }[]
  expect(idsIn((await merchant.get(id)).meta.variation_matrix).sort()).toEqual(
    children.map((one) => one.id).sort(),
  )
  const attributesById = new Map(children.map((child) => [child.id, child.attributes]))
  for (const child of edited) expect(attributesById.get(child)?.mpn).toBe(`edited ${child}`)
  for (const child of deleted) expect(attributesById.has(child)).toBe(false)
  for (const { id, attributes } of children) {
    if (!edited.includes(id)) expect(attributes.description).toBe('As built.')
  }
  expect(await merchant.build(id)).toEqual([])
  expect(Object.keys(await merchant.children(id))).toHaveLength(49)
})

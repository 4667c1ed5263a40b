import { expect, test } from 'vitest'
import { type Child, planBuild } from '../../../server/assortment/variations/build-plan.ts'
import { atOnce } from '../../support/at-once.ts'

const options = (variation: string, n: number) =>
  Array.from({ length: n }, (_, i) => ({ id: `${variation}.${i}`, name: `${variation}${i}`, modifiers: [] }))
const variations = ['a', 'b'].map((id) => ({ id, name: id, options: options(id, 30) }))
const parentWith = (more: Partial<Child['values']> = {}): Child => {
  const values = { name: 'Shirt', sku: 'shirt-', commodity_type: 'physical', status: 'live', ...more }
  return { id: 'parent', values: values as Child['values'] }
}
const parent = parentWith()
const newIds = () => {
  let count = 0
  return { count: () => count, newId: () => `child ${count++}` }
}

test('the planner pauses after each child', () => {
  const { count, newId } = newIds()
  const steps = planBuild(parent, variations, [], newId)
  for (let before = 0; !steps.next().done; before = count()) expect(count() - before).toBeLessThanOrEqual(1)
  expect(count()).toBe(900)
})

test('the planner also pauses between combinations that it leaves out', () => {
  const build_rules = { default: 'exclude' as const, include: [['a.0', 'b.29']] }
  const steps = planBuild(parentWith({ build_rules }), variations, [], newIds().newId)
  let pauses = 0
  while (!steps.next().done) pauses++
  expect(pauses).toBeGreaterThan(30)
})

test('a second build of the same children changes nothing', () => {
  const { newId } = newIds()
  const { added, matrix } = atOnce(planBuild(parent, variations, [], newId))
  expect(atOnce(planBuild(parent, variations, added, newId))).toMatchObject({
    added: [],
    changed: [],
    removedIds: [],
    matrix,
  })
})

test('a failed build names the invalid children by their options', () => {
  const named = (id: string, ...names: string[]) => ({
    id,
    name: id,
    options: names.map((name) => ({
      id: name,
      name,
      modifiers: [{ type: 'sku_append', value: '' } as const],
    })),
  })
  const sizes = [named('Size', 'S', 'M'), named('Fit', 'slim')]
  const refused =
    (parent: Child, variations: Parameters<typeof planBuild>[1] = sizes) =>
    () =>
      atOnce(planBuild(parent, variations, [], newIds().newId))
  expect(refused(parent)).toThrow(
    'data.attributes.sku: Must be unique amongst products. Two children would have "shirt-": ' +
      'the children of Size: S, Fit: slim and Size: M, Fit: slim.',
  )
  const long = parentWith({ sku: null, locales: { fr: { name: 'n'.repeat(1020) } } })
  const longer = {
    id: 'XL',
    name: 'XL',
    modifiers: [{ type: 'name_append', value: ' très grande' } as const],
  }
  expect(refused(long, [{ id: 'Size', name: 'Size', options: [longer] }])).toThrow(
    'data.attributes.locales.fr.name: the value for the child of Size: XL would have more than 1024 characters.',
  )
})

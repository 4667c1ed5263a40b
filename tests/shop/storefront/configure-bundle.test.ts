import fc from 'fast-check'
import { expect, test } from 'vitest'
import { refusalsOf, wrongIn } from '../../../server/shop/shown/configure-bundle.ts'
import type { PublishedComponents, PublishedRow } from '../../../server/shop/shown/published-row.ts'
import { tries } from '../../support/long.ts'

const option = (id: string, more = {}) => ({ id, quantity: 1, ...more })
const console = {
  console: { min: 1, max: 1, options: [option('A')] },
  games: { min: 1, max: 2, options: [option('B'), option('C'), option('D')] },
  toys: { min: 0, options: [option('E', { min: 1, max: 3 })] },
}

test.each([
  [{ console: { A: 1 }, games: { B: 1, C: 1 } }, []],
  [{ console: { A: 1 } }, ['Missing selection for component games']],
  [{ console: { A: 1 }, games: { B: 1, C: 1, D: 1 } }, ['Too many options for component games: at most 2']],
  [{ console: { A: 2 }, games: { B: 1 } }, ['No option 2 for option A']],
  [{ console: { A: 1 }, games: { B: 1 }, toys: { E: 3 } }, []],
  [{ console: { A: 1 }, games: { B: 1 }, toys: { E: 4 } }, ['No option 4 for option E']],
  [{ console: { A: 1 }, games: { B: 1 }, hats: { X: 1 } }, ['No such component hats']],
  [{ console: { A: 1 }, games: { X: 1 } }, ['No option X for component games']],
  [{ console: { A: 1 }, games: { B: 1 }, constructor: { X: 1 } }, ['No such component constructor']],
  [
    { console: {}, games: {} },
    ['Missing selection for component console', 'Missing selection for component games'],
  ],
])('the console of the worked example: %j', (selection, refusals) => {
  expect(wrongIn(console, selection as never).map(({ detail }) => detail)).toEqual(refusals)
})

test('a child of an option may be selected in its place; a child that is an option itself follows its own option', () => {
  const offered = { one: { max: 2, options: [option('parent', { min: 1, max: 3 }), option('other')] } }
  const parentOf = (id: string) => ({ small: 'parent', large: 'parent', stray: 'elsewhere' })[id]
  const detailsOf = (components: PublishedComponents, one: Record<string, number>) =>
    wrongIn(components, { one }, parentOf).map(({ detail }) => detail)
  const refused = (one: Record<string, number>) => detailsOf(offered, one)
  expect(refused({ small: 3, large: 1 })).toEqual([])
  expect(refused({ small: 4 })).toEqual(['No option 4 for option small'])
  expect(refused({ stray: 1 })).toEqual(['No option stray for component one'])
  expect(refused({ small: 1, large: 1, other: 1 })).toEqual(['Too many options for component one: at most 2'])
  const itself = { one: { options: [option('parent', { min: 1, max: 3 }), option('small')] } }
  expect(detailsOf(itself, { small: 3 })).toEqual(['No option 3 for option small'])
})

test('an option that is not for sale is refused by its bundle, its component and its id', () => {
  const bundle = (facts: object): PublishedRow =>
    ({ id: 'box', doc: { attributes: { components: console } }, facts }) as never
  const detailsOf = (facts: object, selection: object) =>
    refusalsOf(bundle(facts), selection as never, () => undefined).map(({ detail }) => detail)
  const selection = { console: { A: 1 }, games: { B: 1 } }
  expect(detailsOf({}, selection)).toEqual([])
  expect(detailsOf({ not_for_sale: ['C'] }, selection)).toEqual([])
  expect(detailsOf({ not_for_sale: ['B'] }, selection)).toEqual([
    'The option B of the component games of the bundle box is not for sale.',
  ])
  expect(detailsOf({ not_for_sale: ['A'], unfilled: ['console'] }, { games: { B: 1 } })).toEqual([
    'The bundle box cannot be bought: too few options of its component console are for sale.',
    'Missing selection for component console',
  ])
})

const ids = fc.constantFrom('a', 'b', 'c')
const few = fc.integer({ min: 0, max: 3 })
const component = fc.record({
  min: fc.option(few),
  max: fc.option(few),
  options: fc.uniqueArray(
    fc.record({
      id: ids,
      quantity: fc.integer({ min: 1, max: 3 }),
      min: fc.option(few),
      max: fc.option(few),
    }),
    { selector: ({ id }) => id },
  ),
})
const keys = fc.constantFrom('x', 'y', 'z')

test('a selection is refused exactly if it is not among all valid ones', () => {
  fc.assert(
    fc.property(
      fc.dictionary(keys, component, { maxKeys: 2 }),
      fc.dictionary(keys, fc.dictionary(ids, few)),
      (components, selection) => {
        const offered = new Set(everySelection(components).map(plain))
        const hasOnlyComponents = Object.keys(selection).every((key) => Object.hasOwn(components, key))
        expect(wrongIn(components, selection).length === 0).toBe(
          hasOnlyComponents && offered.has(plain(selection)),
        )
      },
    ),
    { numRuns: tries(75, 300) },
  )
})

type Selection = Record<string, Record<string, number>>
type Component = {
  min: number | null
  max: number | null
  options: { id: string; quantity: number; min: number | null; max: number | null }[]
}

/** What nothing is chosen of is as if it was not named. */
const plain = (selection: Selection) =>
  JSON.stringify(
    Object.entries(selection)
      .map(([key, options]) => [key, Object.entries(options).sort()])
      .filter(([, options]) => options?.length)
      .sort(),
  )

/** All that may be chosen, enumerated: of each component any of its options, in any quantity that one may have. */
function everySelection(components: Record<string, Component>): Selection[] {
  let all: Selection[] = [{}]
  for (const [key, { min, max, options }] of Object.entries(components)) {
    let chosen: Record<string, number>[] = [{}]
    for (const option of options) {
      const free = option.min !== null && option.max !== null
      const quantities = [0, 1, 2, 3].filter((n) =>
        free ? n >= (option.min as number) && n <= (option.max as number) : n === option.quantity,
      )
      chosen = chosen.flatMap((one) => [one, ...quantities.map((n) => ({ ...one, [option.id]: n }))])
    }
    const fits = chosen.filter((one) => {
      const n = Object.keys(one).length
      return n >= (min ?? 0) && n <= (max ?? n)
    })
    all = all.flatMap((one) => fits.map((fit) => ({ ...one, [key]: fit })))
  }
  return all
}

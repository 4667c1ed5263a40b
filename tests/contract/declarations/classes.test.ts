import fc from 'fast-check'
import { expect, test } from 'vitest'
import { operations, specimens } from '../../builders/samples.ts'
import { coverPairs, pairsOf, type Traits } from '../../support/cover-pairs.ts'
import { listTraits, objectTraits, operationTraits } from '../classes.ts'
import { listings } from '../listings.ts'

const anyTraits: fc.Arbitrary<Traits> = fc.dictionary(
  fc.constantFrom('a', 'b', 'c', 'd'),
  fc.constantFrom('1', '2', '3'),
)

/** Slowly: looks for each trait, and each two, in each of the chosen. */
function expectCovered(all: readonly Traits[], chosen: readonly Traits[]) {
  const has = (one: Traits, [name, value]: [string, string]) => one[name] === value
  for (const one of all)
    for (const first of Object.entries(one))
      for (const second of Object.entries(one))
        expect(
          chosen.some((other) => has(other, first) && has(other, second)),
          `one of the chosen has ${first} and ${second}`,
        ).toBe(true)
}

test('the chosen have every two traits that one has together, in the order of all', () => {
  fc.assert(
    fc.property(fc.array(anyTraits, { maxLength: 20 }), (all) => {
      const chosen = coverPairs(all, (one) => one)
      expectCovered(all, chosen)
      expect(chosen).toEqual(all.filter((one) => chosen.includes(one)))
      expect(chosen.length).toBeLessThanOrEqual(new Set(all.flatMap(pairsOf)).size)
    }),
  )
})

test.each([
  ['list', listings.map(listTraits)],
  ['kind of object', specimens.map(objectTraits)],
  ['operation', operations.map(operationTraits)],
] as const)('each %s has a class, and each class a representative', (_, all) => {
  const chosen = coverPairs(all, (one) => one)
  for (const traits of all) expect(Object.keys(traits).length).toBeGreaterThan(0)
  expectCovered(all, chosen)
  expect(chosen.length, 'how many stand for the others').toBeLessThan(all.length)
})

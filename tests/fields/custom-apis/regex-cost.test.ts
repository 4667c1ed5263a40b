import fc from 'fast-check'
import { RE2JS } from 're2js'
import { expect, test, vi } from 'vitest'
import { compileRegex } from '../../../server/fields/custom-apis/field-rules.ts'
import { estimateSteps } from '../../../server/fields/custom-apis/regex-cost.ts'
import { tries } from '../../support/long.ts'

const atom = fc.constantFrom(
  'a',
  '.',
  '[a-z]',
  '[^]x]',
  '[[:alpha:]-]',
  '\\d',
  '\\pL',
  '\\p{Greek}',
  '\\x{263a}',
  '\\{',
)
const count = fc.integer({ min: 0, max: 9 })
const repeat = fc.oneof(
  fc.constantFrom('', '*', '+', '?', '*?', '??'),
  count.map((n) => `{${n}}`),
  count.map((n) => `{${n},}`),
  fc.tuple(count, count).map(([n, m]) => `{${n},${n + m}}`),
)
const { regex } = fc.letrec<{ regex: string; part: string }>((tie) => ({
  regex: fc.array(tie('part'), { minLength: 1, maxLength: 4 }).map((parts) => parts.join('')),
  part: fc.oneof(
    { maxDepth: 3 },
    fc.tuple(atom, repeat).map((both) => both.join('')),
    fc.tuple(tie('regex'), repeat).map(([inner, times]) => `(${inner})${times}`),
    fc.tuple(tie('regex'), tie('regex'), repeat).map(([one, other, times]) => `(?:${one}|${other})${times}`),
    tie('regex').map((inner) => `\\Q${inner.replaceAll('\\', '')}\\E`),
  ),
}))

test('the estimated steps of an expression are between half and four times the real ones', () => {
  fc.assert(
    fc.property(regex, (text) => {
      let steps: number
      try {
        steps = RE2JS.compile(text).programSize()
      } catch {
        return
      }
      expect(estimateSteps(text), text).toBeGreaterThanOrEqual((steps - 10) / 2)
      expect(estimateSteps(text) / 4, text).toBeLessThanOrEqual(steps + 10)
    }),
    { numRuns: tries(200, 1000) },
  )
})

test('an expression with a very long program is not compiled', () => {
  const make = vi.spyOn(RE2JS, 'compile')
  const refused = () => compileRegex('a{1000}'.repeat(140), 'here')
  expect(refused).toThrow(/here must be simpler: it takes \d+ steps, and at most 5000 are accepted/)
  expect(make).not.toHaveBeenCalled()
  make.mockRestore()
})

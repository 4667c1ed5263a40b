import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  coerceDefault,
  type FieldRule,
  type FlowFieldType,
  findFault,
  valueSchema,
} from '../../../server/fields/flows/field-rules.ts'
import { checker } from '../../../server/kernel/body/checker.ts'
import { compareDays, isDay } from '../../../server/kernel/body/days.ts'
import { tries } from '../../support/long.ts'

type Of = Exclude<FlowFieldType, 'relationship'>

const accepts = (type: Of, rules: readonly FieldRule[], value: unknown, nullable = false): boolean => {
  try {
    checker(valueSchema(type, rules, nullable), 'data.it')(value)
    return true
  } catch {
    return false
  }
}

const between = (from: unknown, to: unknown): FieldRule => ({ type: 'between', options: { from, to } })
const among = (...options: readonly unknown[]): FieldRule => ({ type: 'enum', options })

describe('a value', () => {
  test.each<[type: Of, rules: readonly FieldRule[], good: readonly unknown[], bad: readonly unknown[]]>([
    ['string', [], ['', 'x', '$5'], [1, true, null, {}, [], 'x'.repeat(65_536)]],
    ['string', [{ type: 'email' }], ['a@example.com'], ['a', 'a@']],
    ['string', [{ type: 'slug' }], ['a-B_9'], ['', 'a b', 'ä', 'a.b']],
    [
      'string',
      [{ type: 'uuid' }],
      ['6D320b42-237d-4474-8452-d49f884d4ae1'],
      ['6d320b42', `${'a'.repeat(36)}`],
    ],
    ['string', [{ type: 'slug' }, among('a', 'b c')], ['a'], ['b c', 'd']],
    ['integer', [], [0, -5, 9007199254740991], [0.5, '1', null, 9007199254740992, 1e308]],
    ['integer', [between(1, 5)], [1, 5], [0, 6, 2.5]],
    ['integer', [between('1', '5')], [1, 5], [0, 6]],
    ['integer', [between(1, 5), among(4, 5, 6)], [4, 5], [1, 6]],
    ['float', [between(0.5, 1.5)], [0.5, 1, 1.5], [0.49, 1.51, '1']],
    ['float', [among(0.5, 2)], [0.5, 2], [1]],
    ['boolean', [], [true, false], [1, 'true', null]],
    [
      'date',
      [],
      ['2018-12-31', '2018-12-31 23:59:59', '2018-12-31T23:59:59.123Z'],
      ['2018-02-30', '31.12.2018', '', 1],
    ],
    [
      'date',
      [between('2018-01-01', '2018-12-31')],
      ['2018-01-01', '2018-12-31', '2018-12-31 23:59:59'],
      ['2017-12-31', '2019-01-01', '2019-01-01 00:00:00'],
    ],
    ['date', [among('2018-12-31')], ['2018-12-31'], ['2018-12-30', '2018-12-31 00:00:00']],
  ])('%s %j', (type, rules, good, bad) => {
    expect(findFault(type, rules)).toBe(undefined)
    for (const value of good) expect([value, accepts(type, rules, value)]).toEqual([value, true])
    for (const value of bad) expect([value, accepts(type, rules, value)]).toEqual([value, false])
    expect(accepts(type, rules, null, true)).toBe(true)
    for (const value of bad.filter((one) => one !== null)) {
      expect([value, accepts(type, rules, value, true)]).toEqual([value, false])
    }
  })

  test('meets all rules exactly if it meets each of them', () => {
    const value = fc.integer({ min: -5, max: 15 })
    const rule = fc.oneof(
      fc.tuple(value, value).map(([from, to]) => between(from, to)),
      fc.array(value, { minLength: 1, maxLength: 5 }).map((options) => among(...options)),
    )
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 3 }), value, (rules, one) => {
        const holds = rules.every(({ type, options }) => {
          if (type === 'enum') return (options as number[]).includes(one)
          const { from, to } = options as { from: number; to: number }
          return from <= one && one <= to
        })
        expect(accepts('integer', rules, one)).toBe(holds)
      }),
      { numRuns: tries(50, 200) },
    )
  })
})

test.each<[type: FlowFieldType, rules: readonly FieldRule[]]>([
  ['string', [between(1, 2)]],
  ['boolean', [among(true)]],
  ['integer', [among('a')]],
  ['integer', [among()]],
  ['integer', [{ type: 'between' }]],
  ['integer', [between(1, 'x')]],
  ['date', [among('soon')]],
  ['relationship', []],
  ['relationship', [{ type: 'one-to-one' }]],
  [
    'relationship',
    [
      { type: 'one-to-one', to: 'customer' },
      { type: 'one-to-many', to: 'customer' },
    ],
  ],
])('%s has no rules %j', (type, rules) => {
  expect(findFault(type, rules)).toEqual({
    at: expect.stringContaining('validation_rules'),
    must: expect.any(String),
  })
})

test.each<[type: FlowFieldType, sent: unknown, applied: unknown]>([
  ['integer', 'many', 'many'],
  ['float', '1e999', '1e999'],
  ['string', 0, '0'],
  ['string', 'x', 'x'],
  ['integer', '4', 4],
  ['float', '4.5', 4.5],
  ['boolean', 'true', true],
  ['boolean', 0, false],
  ['relationship', 'x', null],
  ['string', null, null],
])('a default of %s %j is applied as %j', (type, sent, applied) => {
  expect(coerceDefault(type, sent)).toBe(applied)
})

describe('days', () => {
  const parts = fc.record({
    year: fc.integer({ min: 1, max: 9999 }),
    month: fc.integer({ min: 0, max: 13 }),
    day: fc.integer({ min: 0, max: 32 }),
  })
  const two = (n: number) => String(n).padStart(2, '0')
  const daysIn = (year: number, month: number) => {
    if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28
    return [4, 6, 9, 11].includes(month) ? 30 : 31
  }

  test('are the days of the calendar', () => {
    fc.assert(
      fc.property(parts, ({ year, month, day }) => {
        const text = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`
        const isThere = month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month)
        expect([text, isDay(text)]).toEqual([text, isThere])
      }),
      { numRuns: tries(200, 1000) },
    )
  })

  test.each([
    ['0001-01-01', true],
    ['9999-12-31T23:59:59Z', true],
    ['0000-12-31', false],
    ['0001-01-01T00:00:00+14:00', false],
    ['9999-12-31T23:59:59-01:00', false],
  ])('have years from 0001 to 9999: %s', (text, isThere) => expect(isDay(text)).toBe(isThere))

  test('are compared as times if both have one, else by the day', () => {
    const time = fc.date({ min: new Date('1000-01-01'), max: new Date('9000-01-01'), noInvalidDate: true })
    const near = fc.tuple(time, fc.integer({ min: -90_000, max: 90_000 }))
    const forms: readonly ((date: Date) => string)[] = [
      (date) => date.toISOString(),
      (date) => date.toISOString().replace('T', ' ').slice(0, 19),
      (date) => date.toISOString().slice(0, 10),
    ]
    fc.assert(
      fc.property(
        near,
        fc.constantFrom(...forms),
        fc.constantFrom(...forms),
        ([date, seconds], one, other) => {
          const [first, second] = [one(date), other(new Date(date.getTime() + seconds * 1000))]
          expect([first, second].map(isDay)).toEqual([true, true])
          const length = Math.min(first.length, second.length) === 10 ? 10 : 23
          const comparable = (text: string) =>
            `${text.replace(' ', 'T').replace('Z', '')}.000`.slice(0, length)
          const sign =
            comparable(first) < comparable(second) ? -1 : comparable(first) > comparable(second) ? 1 : 0
          expect([first, second, Math.sign(compareDays(first, second))]).toEqual([first, second, sign])
        },
      ),
      { numRuns: tries(125, 500) },
    )
  })

  test('can have offsets', () => {
    expect(compareDays('2020-01-01T01:00:00+02:00', '2019-12-31 23:00:00')).toBe(0)
    expect(compareDays('2020-01-01T01:00:00+0200', '2019-12-31T23:00:00Z')).toBe(0)
  })
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { scanJson } from '../../../server/kernel/http/reading/json-text.ts'

const sourceOf = (text: string) => scanJson(text).fault?.source

describe('a number that a double cannot keep', () => {
  test.for([
    ['{"a":9007199254740993}', 'a'],
    ['{"a":[1,{"b":-9007199254740993}]}', 'a.1.b'],
    ['[12345678901234567890]', '0'],
    ['{"a":{"x":1},"b":1e400}', 'b'],
    ['{"a":1e-400}', 'a'],
    ['{"a\\"\\u0041":{"b":[[],[],9007199254740993.5]}}', 'a"A.b.2'],
    ['9007199254740993', ''],
    [`[${'1'.repeat(400)}]`, '0'],
  ])('%s is refused at %j', ([text = '', source]) => {
    expect(sourceOf(text)).toBe(source)
    expect(scanJson(text).fault).toMatchObject({ status: 400, code: 'invalid_field' })
  })

  test.for([
    '0',
    '-0',
    '0.000000000000000000',
    '0e400',
    '9007199254740991',
    '9007199254740992',
    '10000000000000000000',
    '1e21',
    '1.0e+300',
    '1.7976931348623157e308',
    '5e-324',
    '0.10000000000000000555',
    '3.14159265358979323846',
  ])('%s is not refused', (number) => {
    expect(sourceOf(`{"a":${number}}`)).toBeUndefined()
    expect(sourceOf(`{"a":"9007199254740993","${number}":1}`)).toBeUndefined()
  })

  test('is one whose text is another after it was read and written', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 69n }), (number) => {
        expect(sourceOf(`[${number}]`) === undefined).toBe(BigInt(String(Number(number))) === number)
      }),
    )
  })
})

describe('a text that PostgreSQL cannot store', () => {
  test.for([
    ['{"a":{"b":"\\u0000"}}', 'a.b'],
    ['{"a":["x","\\uD800"]}', 'a.1'],
    ['{"a":"\\ude00\\ud83d"}', 'a'],
    ['{"a":"\\ud83d\\u0041"}', 'a'],
    ['{"a":{"\\u0000":1}}', 'a'],
    ['"\\u0000"', ''],
  ])('%s is refused at %j', ([text = '', source]) => {
    expect(sourceOf(text)).toBe(source)
  })

  test.for(['"\\ud83d\\ude00"', '"\\\\u0000"', '"\\\\\\"\\\\"', '"😀"', '{"a":"\\/\\b"}'])(
    '%s is not',
    (text) => {
      expect(scanJson(text).fault).toBeUndefined()
    },
  )
})

test('containers may be nested 64 deep', () => {
  const nested = (depth: number) => `${'[{"a":'.repeat(depth / 2)}1${'}]'.repeat(depth / 2)}`
  expect(sourceOf(nested(64))).toBeUndefined()
  expect(sourceOf(nested(66))).toMatch(/^0\.a\.0\.a\./)
})

test('what JSON.stringify writes has no fault, and not fewer values than it has', () => {
  const count = (value: unknown): number =>
    typeof value === 'object' && value !== null
      ? 1 + Object.values(value).reduce((sum: number, one) => sum + count(one), 0)
      : 1
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'grapheme' }), (value) => {
      const { fault, values } = scanJson(JSON.stringify(value))
      expect(fault?.detail).toBeUndefined()
      expect(values).toBeGreaterThanOrEqual(count(value))
    }),
  )
})

test('any text can be looked at', () => {
  const unit = fc.constantFrom('"', '\\', 'u', '0', '{', '}', '[', ']', ',', ':', '-', 'e', '1', 'd8')
  fc.assert(
    fc.property(fc.array(unit), (parts) => {
      expect(scanJson(parts.join('')).values).toBeGreaterThan(0)
    }),
  )
})

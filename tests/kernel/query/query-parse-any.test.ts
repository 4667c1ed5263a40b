import fc from 'fast-check'
import { expect, test } from 'vitest'
import { limits, parse } from '../../../server/kernel/query/parse.ts'
import type { Filter, Op } from '../../../server/kernel/shape/list-query.ts'
import { anyCharacter } from '../../support/any-texts.ts'
import { tries } from '../../support/long.ts'
import { refusal, term } from './queries.ts'

/** Whatever is written, however it is written. */

const char = fc.oneof(
  { arbitrary: fc.constantFrom(...`():|,'"\\ +%&=#*.`), weight: 2 },
  fc.string({ unit: anyCharacter, minLength: 1, maxLength: 1 }).filter((text) => text !== '\0'),
  fc.string({ minLength: 1, maxLength: 1 }),
)
const value = fc.array(char, { maxLength: 8 }).map((chars) => chars.join(''))
const name = fc
  .array(fc.constantFrom(...'abzABZ019_-.$@[]éß日'), { minLength: 1, maxLength: 12 })
  .map((chars) => chars.join(''))

const listOps: readonly Op[] = ['in', 'contains_any', 'contains_all']

const anyTerm: fc.Arbitrary<Filter> = fc.oneof(
  fc
    .tuple(
      fc.constantFrom<Op[]>('eq', 'like', 'ilike', 'gt', 'ge', 'lt', 'le', 'contains', 'text'),
      name,
      value,
    )
    .map(([op, field, only]) => term(op, field, only)),
  fc
    .tuple(fc.constantFrom<Op[]>(...listOps), name, fc.array(value, { maxLength: 4 }))
    .map(([op, field, values]) => term(op, field, ...values)),
  name.map((field) => term('is_null', field)),
)

/** A tree over these terms: consecutive runs of them become groups, joined the other way at each level. */
function tree(terms: readonly Filter[], is: 'and' | 'or', cuts: readonly number[]): Filter {
  const [first] = terms
  if (first !== undefined && terms.length === 1) return first
  const [cut = 1, ...rest] = cuts
  const size = 1 + (cut % (terms.length - 1))
  const other = is === 'and' ? 'or' : 'and'
  const heads = tree(terms.slice(0, size), other, rest)
  const tails = terms.slice(size)
  return { is, parts: cut % 2 === 0 ? [heads, tree(tails, other, rest)] : [heads, ...tails] }
}

const anyFilter = fc
  .tuple(
    fc.array(anyTerm, { minLength: 1, maxLength: limits.filterTermsMax }),
    fc.constantFrom<('and' | 'or')[]>('and', 'or'),
    fc.array(fc.nat(), { minLength: 10, maxLength: 10 }),
  )
  .map(([terms, is, cuts]) => tree(terms, is, cuts))

/** Answers the free choices of a rendering, one after the other, again and again. */
const chooser = fc.array(fc.nat(5), { minLength: 1, maxLength: 16 }).map((picks) => {
  let next = 0
  return (from: number) => (picks[next++ % picks.length] ?? 0) % from
})
type Choose = (from: number) => number

function canBeRaw(text: string): boolean {
  let open = 0
  for (const character of text) {
    if (character === '(') open += 1
    if (character === ')') open -= 1
    if (open < 0 || (open === 0 && character === ',')) return false
  }
  return open === 0 && !/^[ '"]/.test(text)
}

function formatValue(text: string, choose: Choose, inList: boolean): string {
  const form = choose(3)
  // A blank operand is no value of a list, unless it is quoted.
  if (form === 0 && canBeRaw(text) && !(inList && text.trim() === '')) return ' '.repeat(choose(2)) + text
  const quote = form === 1 ? '"' : "'"
  const escaped = text.replaceAll('\\', '\\\\').replaceAll(quote, `\\${quote}`)
  return quote + escaped + quote + ' '.repeat(choose(2))
}

function formatFilter(filter: Filter, choose: Choose, within?: 'and' | 'or', depth = 0): string {
  if (filter.is === 'term') {
    const op = choose(3) === 0 ? filter.op.toUpperCase() : filter.op
    const inList = listOps.includes(filter.op)
    const values = filter.values.map((one) => formatValue(one, choose, inList))
    for (let blanks = inList ? choose(3) : 0; blanks > 0; blanks--) {
      values.splice(choose(values.length + 1), 0, ' '.repeat(choose(3)))
    }
    if (inList && !values.length) values.push('')
    const text = `${op}(${[filter.field, ...values].join()})`
    return choose(6) === 0 && depth < limits.filterDepthMax ? `(${text})` : text
  }
  const needed = within === 'and'
  const grouped = needed || (depth + 3 < limits.filterDepthMax && choose(4) === 0)
  const inside = depth + (grouped ? 1 : 0)
  const parts = filter.parts.map((part) => formatFilter(part, choose, filter.is, inside))
  const mark = filter.is === 'or' ? '|' : inside === 0 && choose(3) === 0 ? ',' : ':'
  const text = parts.join(choose(4) === 0 ? ` ${mark} ` : mark)
  return grouped ? `(${text})` : text
}

const encodings: readonly ((text: string) => string)[] = [
  encodeURIComponent,
  (text) => encodeURIComponent(text).replaceAll('%20', '+'),
  (text) => text.replace(/[%&+]/g, encodeURIComponent),
]

test('a filter is parsed to the same terms in every spelling', () => {
  fc.assert(
    fc.property(anyFilter, chooser, fc.constantFrom(...encodings), (filter, choose, encode) => {
      expect(parse(`filter=${encode(formatFilter(filter, choose))}`).filter).toEqual(filter)
    }),
    { numRuns: tries(400, 2000) },
  )
})

const utf16 = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 40 })
  .map((units) => String.fromCharCode(...units))
const text = fc.oneof(fc.string({ unit: anyCharacter }), fc.string(), utf16, value)
const parameter = fc.constantFrom(
  'page[limit]',
  'page[offset]',
  'page[after]',
  'page[total_method]',
  'sort',
  'filter',
  'include',
  'x',
)

test('any query string is parsed or refused with a Problem', () => {
  const query = fc.oneof(
    text,
    fc
      .array(fc.tuple(parameter, text, fc.boolean()), { maxLength: 4 })
      .map((pairs) =>
        pairs
          .map(([key, raw, encoded]) => `${key}=${encoded ? encodeURIComponent(raw.toWellFormed()) : raw}`)
          .join('&'),
      ),
  )
  fc.assert(
    fc.property(query, (raw) => {
      refusal(raw)
    }),
    { numRuns: tries(1000, 5000) },
  )
})

test('a damaged filter is parsed, or refused at one of its characters', () => {
  const damaged = fc
    .tuple(anyFilter, chooser, fc.nat(), fc.nat(6), fc.oneof(char, fc.constant(''), fc.constant('eq(')))
    .map(([filter, choose, where, cut, put]) => {
      const whole = [...formatFilter(filter, choose)]
      whole.splice(where % (whole.length + 1), cut, put)
      return whole.join('')
    })
  fc.assert(
    fc.property(damaged, (broken) => {
      const { code, detail } = refusal(`filter=${encodeURIComponent(broken)}`)
      expect(code).toMatch(/^(none|bad_filter)$/)
      const [, position] = detail?.match(/at character (\d+):/) ?? []
      if (code === 'none' || position === undefined) return
      expect(Number(position)).toBeGreaterThan(0)
      expect(Number(position)).toBeLessThanOrEqual([...broken].length + 1)
    }),
    { numRuns: tries(600, 3000) },
  )
})

const { filterBytesMax } = limits
const worst: readonly (readonly [what: string, text: string])[] = [
  ['opening parentheses', '('.repeat(filterBytesMax)],
  ['parentheses in an operand', `eq(a,${'('.repeat(filterBytesMax - 5)}`],
  ['a quote that never closes', `eq(a,"${'\\"'.repeat(4000)}`],
  ['backslashes', `eq(a,'${'\\'.repeat(8000)}`],
  ['empty operands', `in(a${','.repeat(8000)})`],
  ['more terms than can be', 'is_null(a):'.repeat(700)],
  ['spaces', `eq(a,1)${' '.repeat(8000)}x`],
  ['a long field', `eq(${'a'.repeat(8000)}`],
]

test.each(worst)('is parsed in linear time: %s', (_what, filter) => {
  const query = `filter=${encodeURIComponent(filter)}`
  const start = performance.now()
  for (let run = 0; run < 20; run += 1) refusal(query)
  expect(performance.now() - start).toBeLessThan(1000)
})

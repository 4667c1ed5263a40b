import { describe, expect, test } from 'vitest'
import { limits, parse } from '../../../server/kernel/query/parse.ts'
import type { Filter, ListQuery } from '../../../server/kernel/shape/list-query.ts'
import { and, or, refusal, term } from './queries.ts'

const nothing: ListQuery = {
  isPaged: false,
  limit: undefined,
  offset: 0,
  cursor: undefined,
  sort: undefined,
  filter: undefined,
  include: [],
}

const eqA = term('eq', 'a', '1')
const eqB = term('eq', 'b', '2')
const eqC = term('eq', 'c', '3')
const eqD = term('eq', 'd', '4')

const parseFilter = (text: string) => parse(`filter=${encodeURIComponent(text)}`).filter

describe('an accepted query', () => {
  const manyIncludes = Array.from({ length: limits.includesMax }, (_, index) => `r${index}`)

  const cases: readonly (readonly [what: string, query: string, ask: Partial<ListQuery>])[] = [
    ['nothing', '', {}],
    ['nothing but separators', '&&', {}],
    ['a raw page[limit]', 'page[limit]=25', { limit: 25 }],
    ['an encoded page[limit]', 'page%5Blimit%5D=25', { limit: 25 }],
    ['a half encoded page[limit]', 'page[limit%5d=25', { limit: 25 }],
    ['the smallest page', 'page[limit]=0', { limit: 0 }],
    ['the largest page', 'page[limit]=100', { limit: 100 }],
    ['a number with leading zeros', 'page[limit]=007', { limit: 7 }],
    ['an offset', 'page[offset]=50&page[limit]=25', { offset: 50, limit: 25 }],
    ['the largest offset', 'page[offset]=9007199254740991', { offset: 9007199254740991 }],
    ['a walk from the start', 'page[after]=', { cursor: { direction: 'after', token: '' } }],
    ['a walk from the end', 'page[before]', { cursor: { direction: 'before', token: '' } }],
    ['a token', 'page[after]=a%2Bb%3D%3D', { cursor: { direction: 'after', token: 'a+b==' } }],
    [
      'a token with raw "="',
      'page[before]=ab==&page[limit]=3',
      { cursor: { direction: 'before', token: 'ab==' }, limit: 3 },
    ],
    ['an observed total', 'page[total_method]=observed', {}],
    ['an exact total', 'page%5Btotal_method%5D=exact', {}],
    ['a lower bound', 'page[total_method]=lower_bound', {}],
    ['an ascending sort', 'sort=name', { sort: { field: 'name', descending: false } }],
    ['a descending sort', 'sort=-created_at', { sort: { field: 'created_at', descending: true } }],
    ['a sort with a plus', 'sort=+created_at', { sort: { field: 'created_at', descending: false } }],
    [
      'a sort by a dotted path',
      'sort=meta.created-at',
      { sort: { field: 'meta.created-at', descending: false } },
    ],
    ['an empty sort', 'sort=', {}],
    ['a null sort', 'sort=null', {}],
    ['includes in a list', 'include=a,b', { include: ['a', 'b'] }],
    ['includes repeated', 'include=a&include=b', { include: ['a', 'b'] }],
    [
      'includes twice, and empty ones',
      'include=b,,a&sort=name&include=+a%2Cc,&include',
      { include: ['b', 'a', 'c'], sort: { field: 'name', descending: false } },
    ],
    [
      'as many includes as allowed',
      `include=${manyIncludes}&include=${manyIncludes}`,
      { include: manyIncludes },
    ],
    ['an empty filter', 'filter=', {}],
    ['a filter of spaces', 'filter=+%20', {}],
    ['unknown parameters, repeated', 'timeout=5&timeout=6&page[size]=x&__proto__=1&limit=500&Filter=(', {}],
  ]

  test.each(cases)('%s', (_what, query, ask) => {
    const isPaged = ['limit', 'offset', 'cursor'].some((part) => part in ask)
    expect(parse(query)).toEqual({ ...nothing, isPaged, ...ask })
  })
})

describe('a refused query', () => {
  const tooMany = Array.from({ length: limits.includesMax + 1 }, (_, index) => `r${index}`).join()
  const whole = (name: string, max: number, value: string) =>
    `${name} must be a whole number from 0 to ${max}, not ${value}.`
  const limit = (value: string) => whole('page[limit]', 100, value)
  const offset = (value: string) => whole('page[offset]', 9007199254740991, value)

  const cases: readonly (readonly [query: string, code: string, source: string, detail: string])[] = [
    ['page[limit]=101', 'bad_page', 'page[limit]', limit('"101"')],
    ['page[limit]=-1', 'bad_page', 'page[limit]', limit('"-1"')],
    ['page[limit]=', 'bad_page', 'page[limit]', limit('""')],
    ['page[limit]', 'bad_page', 'page[limit]', limit('""')],
    ['page[limit]=2.5', 'bad_page', 'page[limit]', limit('"2.5"')],
    ['page[limit]=1e1', 'bad_page', 'page[limit]', limit('"1e1"')],
    ['page[limit]=0x10', 'bad_page', 'page[limit]', limit('"0x10"')],
    ['page[limit]=+5', 'bad_page', 'page[limit]', limit('" 5"')],
    ['page[limit]=%D9%A3', 'bad_page', 'page[limit]', limit('"٣"')],
    ['page[limit]=abc', 'bad_page', 'page[limit]', limit('"abc"')],
    [`page[limit]=${'9'.repeat(400)}`, 'bad_page', 'page[limit]', limit(`"${'9'.repeat(40)}…"`)],
    ['page%5Boffset%5D=-1', 'bad_page', 'page[offset]', offset('"-1"')],
    ['page[offset]=', 'bad_page', 'page[offset]', offset('""')],
    ['page[offset]=9007199254740992', 'bad_page', 'page[offset]', offset('"9007199254740992"')],
    [
      'page[after]=a&page[before]=b',
      'bad_page',
      'page[after]',
      'page[after] cannot be combined with page[before].',
    ],
    [
      'page[after]=a&page[offset]=0',
      'bad_page',
      'page[after]',
      'page[after] cannot be combined with page[offset].',
    ],
    [
      'page[offset]=1&page[before]=',
      'bad_page',
      'page[before]',
      'page[before] cannot be combined with page[offset].',
    ],
    [
      'page[total_method]=guess',
      'bad_page',
      'page[total_method]',
      'page[total_method] must be one of exact, observed, lower_bound, not "guess".',
    ],
    [
      'page[total_method]=',
      'bad_page',
      'page[total_method]',
      'page[total_method] must be one of exact, observed, lower_bound, not "".',
    ],
    [
      'sort=name,-id',
      'bad_request',
      'sort',
      'sort must be one attribute, such as name or -name, not "name,-id".',
    ],
    ['sort=-', 'bad_request', 'sort', 'sort must be one attribute, such as name or -name, not "-".'],
    ['sort=a%22b', 'bad_request', 'sort', 'sort must be one attribute, such as name or -name, not "a\\"b".'],
    [`include=${tooMany}`, 'bad_request', 'include', 'include must have at most 20 names, not 21.'],
    ['page[limit]=1&page%5Blimit%5D=1', 'bad_request', 'page[limit]', 'page[limit] must be sent only once.'],
    ['sort=a&sort=a', 'bad_request', 'sort', 'sort must be sent only once.'],
    ['filter=&filter=', 'bad_request', 'filter', 'filter must be sent only once.'],
    ['sort=%', 'bad_request', 'sort', 'The query parameter "sort" is not valid percent-encoded UTF-8.'],
    [
      'filter=eq(name,%E0%A4)',
      'bad_request',
      'filter',
      'The query parameter "filter" is not valid percent-encoded UTF-8.',
    ],
    [
      'filter=eq(name,%ED%A0%80)',
      'bad_request',
      'filter',
      'The query parameter "filter" is not valid percent-encoded UTF-8.',
    ],
    [
      'page[%zz]=1',
      'bad_request',
      'page[%zz]',
      'The query parameter "page[%zz]" is not valid percent-encoded UTF-8.',
    ],
    ['other=50%', 'bad_request', 'other', 'The query parameter "other" is not valid percent-encoded UTF-8.'],
    [
      'filter=eq(name,a%00b)',
      'bad_request',
      'filter',
      'The query parameter "filter" contains a NUL character.',
    ],
    ['a%00=1', 'bad_request', 'a%00', 'The query parameter "a%00" contains a NUL character.'],
    [
      'include=\ud800',
      'bad_request',
      'include',
      'The query parameter "include" contains an unpaired surrogate.',
    ],
    ['\udc00=1', 'bad_request', '\ufffd', 'The query parameter "\ufffd" contains an unpaired surrogate.'],
  ]

  test.each(cases)('%s', (query, code, source, detail) => {
    expect(refusal(query)).toEqual({ code, source, detail })
  })
})

describe('an accepted filter', () => {
  const deepest = `${'('.repeat(limits.filterDepthMax)}eq(a,1)${')'.repeat(limits.filterDepthMax)}`

  const cases: readonly (readonly [text: string, filter: Filter])[] = [
    // each operator
    ['eq(name,largesupplement)', term('eq', 'name', 'largesupplement')],
    ['like(name,*Standard*)', term('like', 'name', '*Standard*')],
    ['ilike(phone_number,"*555*")', term('ilike', 'phone_number', '*555*')],
    ['in(id,1,2, 3)', term('in', 'id', '1', '2', '3')],
    ['in(id,1)', term('in', 'id', '1')],
    ['gt(id,100)', term('gt', 'id', '100')],
    ['ge(created_at,2022-01-01)', term('ge', 'created_at', '2022-01-01')],
    ['lt(price,-1.5)', term('lt', 'price', '-1.5')],
    ['le(n,1)', term('le', 'n', '1')],
    ['is_null(middle_name)', term('is_null', 'middle_name')],
    ['contains(account_ids,"abc123")', term('contains', 'account_ids', 'abc123')],
    ['contains_any(tags,a,b)', term('contains_any', 'tags', 'a', 'b')],
    ['contains_all(tags,a)', term('contains_all', 'tags', 'a')],
    ['text(instructions,"behind bin")', term('text', 'instructions', 'behind bin')],
    ['Eq(a,1)', eqA],
    ['IS_NULL(a)', term('is_null', 'a')],

    // fields
    ['eq(contact.email,x)', term('eq', 'contact.email', 'x')],
    [
      'like(locales.es-ES.description,*descripción*)',
      term('like', 'locales.es-ES.description', '*descripción*'),
    ],
    ['eq(list[3],x)', term('eq', 'list[3]', 'x')],
    ['gt(list.length,3)', term('gt', 'list.length', '3')],
    ['eq($a@größe_1,x)', term('eq', '$a@größe_1', 'x')],
    ['eq(__proto__,x)', term('eq', '__proto__', 'x')],

    // raw operands
    ['ge(created_at,2018-04-16T10:11:59.715Z)', term('ge', 'created_at', '2018-04-16T10:11:59.715Z')],
    ['lt(end, 2025-01-01T00:00:00+02:00)', term('lt', 'end', '2025-01-01T00:00:00+02:00')],
    ['eq(url,https://a.b/c?d=e&f#g)', term('eq', 'url', 'https://a.b/c?d=e&f#g')],
    ['eq(a,x|y:z{}+/-@$_*.)', term('eq', 'a', 'x|y:z{}+/-@$_*.')],
    ['eq(a,   two  words )', term('eq', 'a', 'two  words ')],
    ['eq(a,日本 🛒)', term('eq', 'a', '日本 🛒')],
    ['eq(a,100%)', term('eq', 'a', '100%')],
    ["eq(a,O'Brien)", term('eq', 'a', "O'Brien")],
    ['eq(a,19" rack)', term('eq', 'a', '19" rack')],
    ['eq(a,back\\slash)', term('eq', 'a', 'back\\slash')],
    ['eq(a,Shirt (blue, (x)) new)', term('eq', 'a', 'Shirt (blue, (x)) new')],
    ['eq(a,())', term('eq', 'a', '()')],
    ['eq(a,)', term('eq', 'a', '')],
    ['in(a,)', term('in', 'a')],
    ['in(a,,  ,)', term('in', 'a')],
    ['in(a,,1, ,2,)', term('in', 'a', '1', '2')],
    [`in(a,"",' ',)`, term('in', 'a', '', ' ')],
    ['contains_any(a,,x)', term('contains_any', 'a', 'x')],

    // quoted operands
    ['eq(a,"")', term('eq', 'a', '')],
    ["eq(a, ' kept , : | ) ( ' )", term('eq', 'a', ' kept , : | ) ( ')],
    [`eq(a,"it's")`, term('eq', 'a', "it's")],
    ["eq(a,'it\\'s \\\\ \\\"')", term('eq', 'a', `it's \\ "`)],
    ['eq(a,"C:\\temp")', term('eq', 'a', 'C:\\temp')],
    [`in(a,'1',"2",3)`, term('in', 'a', '1', '2', '3')],

    // joining, grouping, precedence
    ['eq(a,1):eq(b,2)', and(eqA, eqB)],
    ['eq(a,1),eq(b,2)', and(eqA, eqB)],
    ['eq(a,1)|eq(b,2)', or(eqA, eqB)],
    [' eq ( a , 1) : ( eq(b, 2) | eq(c,3) ) ', and(eqA, or(eqB, eqC))],
    ['eq(a,1):eq(b,2)|eq(c,3):eq(d,4)', or(and(eqA, eqB), and(eqC, eqD))],
    ['eq(a,1)|eq(b,2):eq(c,3)|eq(d,4)', or(eqA, and(eqB, eqC), eqD)],
    ['eq(a,1)|eq(b,2),eq(c,3)', or(eqA, and(eqB, eqC))],
    ['(eq(a,1)|eq(b,2)):eq(c,3)', and(or(eqA, eqB), eqC)],
    ['(eq(a,1)|eq(b,2)),eq(c,3)', and(or(eqA, eqB), eqC)],
    ['(eq(a,"1"):eq(b,"2"))|eq(c,"3")', or(and(eqA, eqB), eqC)],
    ['eq(a,1):(eq(b,2)|eq(c,3):eq(d,4))', and(eqA, or(eqB, and(eqC, eqD)))],
    ['((eq(a,1):eq(b,2)):eq(c,3)):eq(d,4)', and(eqA, eqB, eqC, eqD)],
    ['eq(a,1)|((eq(b,2)|eq(c,3))|eq(d,4))', or(eqA, eqB, eqC, eqD)],
    [deepest, eqA],
    [
      Array(limits.filterTermsMax).fill('eq(a,1)').join(':'),
      and(...Array<Filter>(limits.filterTermsMax).fill(eqA)),
    ],
  ]

  test.each(cases)('%s', (text, filter) => {
    expect(parseFilter(text)).toEqual(filter)
  })

  const sent: readonly (readonly [query: string, filter: Filter])[] = [
    ['filter=eq(a,1):eq(b,2)&page[limit]=1', and(eqA, eqB)],
    ['filter=eq(a,two+words)', term('eq', 'a', 'two words')],
    ['filter=eq(a,two%20words)', term('eq', 'a', 'two words')],
    ['filter=eq(a,1%2B1=2)', term('eq', 'a', '1+1=2')],
    ['filter=eq(a,this%26that)', term('eq', 'a', 'this&that')],
    ['filter=eq(a,%252C)', term('eq', 'a', '%2C')],
    ['filter=eq%28a%2C1%29%3Aeq%28b%2C%222%22%29', and(eqA, eqB)],
    ['filter=(eq(a,1)|eq(b,2)):eq(c,3)', and(or(eqA, eqB), eqC)],
    [
      'filter=ge(t,2018-04-16T10:11:59.715Z):lt(t,2018-04-16T10%3A12%3A00Z)',
      and(term('ge', 't', '2018-04-16T10:11:59.715Z'), term('lt', 't', '2018-04-16T10:12:00Z')),
    ],
  ]

  test.each(sent)('encoded: %s', (query, filter) => {
    expect(parse(query).filter).toEqual(filter)
  })
})

describe('a refused filter', () => {
  const at = (position: number, fault: string) =>
    `Could not parse the filter at character ${position}: ${fault}.`
  const operators = 'eq, like, ilike, in, gt, ge, lt, le, is_null, contains, contains_any, contains_all, text'
  const operator = 'expected an operator, as in eq(field,value)'
  const join = 'expected ":", "|" or the end'
  const joinInside = 'expected ":", "|" or ")"'
  const operand = 'expected "," or ")"'
  const field = 'expected a field name'
  const { filterDepthMax, filterTermsMax } = limits
  const tooDeep = `${'('.repeat(filterDepthMax + 1)}eq(a,1)${')'.repeat(filterDepthMax + 1)}`

  const cases: readonly (readonly [text: string, detail: string])[] = [
    ['name', at(1, `unknown operator "name", expected ${operators}`)],
    ['has(a,1)', at(1, `unknown operator "has", expected ${operators}`)],
    ['constructor(a,1)', at(1, `unknown operator "constructor", expected ${operators}`)],
    ['eq(a,1):not-eq(b,1)', at(9, `unknown operator "not-eq", expected ${operators}`)],
    [`${'x'.repeat(60)}(a)`, at(1, `unknown operator "${'x'.repeat(40)}", expected ${operators}`)],
    ['eq', at(3, 'expected "("')],
    ['eq=a', at(3, 'expected "("')],
    ['ét(a)', at(1, operator)],
    ['()', at(2, operator)],
    [':eq(a,1)', at(1, operator)],
    ['eq(a,1):', at(9, operator)],
    ['eq(a,1),', at(9, operator)],
    ['eq(a,1)||eq(b,2)', at(9, operator)],
    ['eq()', at(4, field)],
    ['eq(', at(4, field)],
    ['eq(,1)', at(4, field)],
    ['eq("",1)', at(5, field)],
    [`is_null('a")`, at(11, "expected '")],
    ['eq(a b,1)', at(6, operand)],
    ['eq(a:1)', at(5, operand)],
    ['eq(a', at(5, operand)],
    ['eq(a,1', at(7, operand)],
    ['eq(a,"1" 2)', at(10, operand)],
    ['eq(a,🛒🛒', at(8, operand)],
    ['eq(a,(1)', at(9, operand)],
    ['eq(a,(1,2', at(10, 'expected ")"')],
    ['eq(a,f(x):eq(b,2)', at(18, operand)],
    ['eq(a,"1)', at(6, 'expected another " to close this one')],
    ["eq(a,'1\\')", at(6, "expected another ' to close this one")],
    ['eq(a,1))', at(8, join)],
    ['eq(a,:))', at(8, join)],
    ['eq(a,1)eq(b,2)', at(8, join)],
    ['eq(a,1);eq(b,2)', at(8, join)],
    ['(eq(a,1)', at(9, joinInside)],
    ['(eq(a,1),eq(b,2))', at(9, joinInside)],
    ['eq(a)', at(1, 'expected eq(field,value), values given: 0')],
    ['is_null(a):eq(name,b,c)', at(12, 'expected eq(field,value), values given: 2')],
    ['text(a,b,c)', at(1, 'expected text(field,value), values given: 2')],
    ['is_null(a,)', at(1, 'expected is_null(field), values given: 1')],
    ['in(a)', at(1, 'expected in(field,value,…), values given: 0')],
    ['contains_any(a)', at(1, 'expected contains_any(field,value,…), values given: 0')],
    [tooDeep, at(filterDepthMax + 1, 'parentheses must nest at most 10 deep, not 11')],
    ['eq(a,1)|'.repeat(filterTermsMax).concat('eq(a,1)'), 'A filter must have at most 10 terms, not 11.'],
    ['eq(a,1):'.repeat(filterTermsMax + 1).concat('eq(a,1)'), 'A filter must have at most 10 terms, not 12.'],
  ]

  test.each(cases)('%s', (text, detail) => {
    expect(refusal(`filter=${encodeURIComponent(text)}`)).toEqual({
      code: 'bad_filter',
      source: 'filter',
      detail,
    })
  })
})

test('the length of a filter is counted in bytes, decoded', () => {
  const longest = 'é'.repeat((limits.filterBytesMax - 'eq(a,)'.length) / 2)
  expect(parseFilter(`eq(a,${longest})`)).toEqual(term('eq', 'a', longest))
  expect(refusal(`filter=eq(a,${longest}+)`)).toEqual({
    code: 'bad_filter',
    source: 'filter',
    detail: 'A filter must have at most 8192 bytes, not 8193.',
  })
})

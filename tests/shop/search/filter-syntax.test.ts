import { expect, test } from 'vitest'
import { parseFilter, type SearchFilter, Unparsable } from '../../../server/shop/matching/filter-syntax.ts'
import { searchField } from '../../../server/shop/matching/search-fields.ts'
import { parseFacets } from '../../../server/shop/search/facet-by.ts'

const text = (text: string) => ({ is: 'text', text })
const term = (field: string, operands: object[], how = 'whole', not = false) => ({
  is: 'term',
  field,
  not,
  how,
  operands,
})

test.each<[string, object | undefined]>([
  ['', undefined],
  ['  ', undefined],
  ['brand:=Acme', term('brand', [text('Acme')])],
  ['brand := Acme & Sons ', term('brand', [text('Acme & Sons')])],
  ['brand:=`A (b), c && d`', term('brand', [text('A (b), c && d')])],
  ['brand:=A (b) c', term('brand', [text('A (b) c')])],
  ['brand:=[`a`,`b, c`, d e]', term('brand', [text('a'), text('b, c'), text('d e')])],
  ['brand:Acme', term('brand', [text('Acme')], 'words')],
  ['brand:[Acme, b]', term('brand', [text('Acme'), text('b')], 'words')],
  ['brand:!=Acme', term('brand', [text('Acme')], 'whole', true)],
  ['brand:!=[`Acme`]', term('brand', [text('Acme')], 'whole', true)],
  ['brand:![`Acme`]', term('brand', [text('Acme')], 'words', true)],
  ['p:>1.5', term('p', [{ is: 'bound', op: '>', number: '1.5' }])],
  ['p:>=-1', term('p', [{ is: 'bound', op: '>=', number: '-1' }])],
  ['p:< 10', term('p', [{ is: 'bound', op: '<', number: '10' }])],
  ['p:[10..20]', term('p', [{ is: 'range', from: '10', to: '20' }], 'words')],
  ['p:=[-1.5..20, 40]', term('p', [{ is: 'range', from: '-1.5', to: '20' }, text('40')])],
  ['a.b-c:=1', term('a.b-c', [text('1')])],
  ['extensions.products(brands).name:=`x`', term('extensions.products(brands).name', [text('x')])],
  ['(products(a).b:=x)', term('products(a).b', [text('x')])],
  [
    'a:=1 && b:=2 || c:=3',
    {
      is: 'any',
      of: [{ is: 'all', of: [term('a', [text('1')]), term('b', [text('2')])] }, term('c', [text('3')])],
    },
  ],
  [
    'a:=1&&(b:=2||c:=3)',
    {
      is: 'all',
      of: [term('a', [text('1')]), { is: 'any', of: [term('b', [text('2')]), term('c', [text('3')])] }],
    },
  ],
])('%j is read as intended', (written, meant) => {
  expect(parseFilter(written)).toEqual(meant as SearchFilter | undefined)
})

test.each([
  'brand',
  'brand:',
  'brand:=',
  ':=x',
  'a b:=x',
  'a:=x &&',
  'a:=(',
  'a:=x (y && b:=z',
  '&& a:=x',
  'a:=x b:=y)',
  '(a:=x',
  'a:=x)',
  '()',
  'a:=[`x`',
  'a:=[]',
  'a:=`x',
  'a:=`x` y',
  'a:>x',
  'a:>1e5',
  'a:>[1]',
  'a):=x',
  'a:=x || || b:=y',
  `${'('.repeat(60)}a:=x${')'.repeat(60)}`,
  Array.from({ length: 51 }, () => 'a:=x').join('&&'),
])('%j is not a filter', (written) => {
  expect(() => parseFilter(written)).toThrow(Unparsable)
})

test('a deep or long text is parsed fast, or refused', () => {
  expect(() => parseFilter('('.repeat(4000))).toThrow(Unparsable)
  expect(parseFilter(`a:=${'('.repeat(1900)}${')'.repeat(1900)}`)).toMatchObject({ field: 'a' })
})

test.each<[string, string[]]>([
  ['', []],
  ['a, b,a', ['a', 'b']],
  [
    'extensions.products(a,b).c,price.USD.float_price',
    ['extensions.products(a,b).c', 'price.USD.float_price'],
  ],
])('facets %j', (written, names) => {
  expect(parseFacets(written, 'facet_by')).toEqual(names)
})

test.each(['a,', ',', 'a b', 'a:b', 'products(a', 'a)b('])('%j names no facets', (written) => {
  expect(() => parseFacets(written, 'facet_by')).toThrow('Invalid facet field specified.')
})

test('fields have several names', () => {
  expect(searchField('meta.search.categories.lvl0')).toEqual(searchField('categories.lvl0'))
  expect(searchField('attributes.tags')).toEqual({ in: 'values', name: 'tags' })
  expect(searchField('attributes.price.usd.float_price')).toEqual({
    in: 'prices',
    currency: 'USD',
    whole: false,
  })
  expect(searchField('__proto__')).toEqual({ in: 'values', name: '__proto__' })
})

import { describe, test } from 'vitest'
import { parseFilter } from '../../../server/shop/matching/filter-syntax.ts'
import { searchField } from '../../../server/shop/matching/search-fields.ts'
import { parseQuery } from '../../../server/shop/matching/searched-words.ts'
import { parseFacetQuery, parseFacets } from '../../../server/shop/search/facet-by.ts'
import { highlightText } from '../../../server/shop/search/highlights.ts'
import { parseSort } from '../../../server/shop/search/read-searches.ts'
import { codeOf, wordsOf } from '../../../server/shop/sources/words.ts'
import { expectLinear } from '../../support/growth.ts'

const parsers: Readonly<Record<string, (text: string) => unknown>> = {
  filter_by: parseFilter,
  facet_by: (text) => parseFacets(text, 'facet_by'),
  facet_query: parseFacetQuery,
  sort_by: parseSort,
  'a field': searchField,
  q: parseQuery,
  words: wordsOf,
  codes: codeOf,
  'a highlight': (text) => highlightText(text, parseQuery('shirt 1')),
}

const runs = [
  ' ',
  '\n',
  '1',
  'a',
  '.',
  '(',
  ')',
  '[',
  ']',
  '`',
  ',',
  ':',
  '&&',
  '||',
  '-',
  '>',
  'e\u0301',
  '語',
  ' 1',
  'a ',
]
const filterBeginnings = [
  '',
  'a:[',
  'a:[1',
  'a:[>',
  'a:>',
  'a:=',
  'a:`',
  'a:[`',
  'price.',
  'attributes.',
  '(',
]
const filterEndings = ['', 'x', ']', '..1\n]', '\n1]', '`]', ')']

describe.each(Object.entries(parsers))('%s', (name, parse) => {
  const [beginnings, endings] =
    name === 'filter_by'
      ? [filterBeginnings, filterEndings]
      : [
          ['', 'price.'],
          ['', '!'],
        ]
  test.each(runs)('a long run of %j takes time in proportion to its length', (run) => {
    for (const beginning of beginnings) {
      for (const ending of endings) {
        expectLinear(parse, (size) => beginning + run.repeat(size / run.length) + ending)
      }
    }
  })
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type CellPath, cellAt, cellOf } from '../../../server/kernel/http/csv-line.ts'
import { DocumentCells } from '../../../server/kernel/http/document-cells.ts'

const columns: readonly CellPath[] = [
  ['name'],
  ['price', 'amount'],
  ['price'],
  ['größe'],
  ['price', 'tax', 'rate'],
  ['tags'],
  ['a"b'],
]
const known = new DocumentCells(columns)

/** The cells that are written for a document. */
function written(text: string): readonly string[] {
  const bytes = Buffer.from(`before${text}behind`)
  known.find(bytes, 6, bytes.length - 6)
  return known.cells.map(({ form, from, to }) => {
    if (form === 'none') return ''
    const value = bytes.toString('utf8', from, to)
    if (form === 'json') return cellOf(JSON.parse(value))
    return form === 'quoted' ? `"${value}"` : value
  })
}

const parsed = (text: string): readonly string[] => {
  const document: unknown = JSON.parse(text)
  return columns.map((path) => cellAt(document, path))
}

const names = [
  'name',
  'price',
  'amount',
  'tax',
  'rate',
  'größe',
  'tags',
  'a"b',
  'nam',
  'names',
  '',
  '__proto__',
]
const gap = fc.constantFrom('', '', ' ', '\n\t', ' \r\n ')
const character = fc.constantFrom(...'abc,;"\\\n\r\t\u0001/{}[]:ü漢😀 01-'.split(''), '😀', '\ud800')
const string = fc.string({ unit: character, maxLength: 12 })
/** A text as JSON, with some of its letters as escapes. */
const written16 = (text: string): string =>
  `"${Array.from({ length: text.length }, (_, i) => `\\u${text.charCodeAt(i).toString(16).padStart(4, '0')}`).join('')}"`
const stringText = fc
  .oneof(string, fc.constantFrom(...names))
  .chain((text) => fc.constantFrom(JSON.stringify(text), written16(text)))
const numberText = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => JSON.stringify(number)),
  fc.integer().map(String),
  fc.constantFrom(
    '0',
    '-0',
    '-1',
    '1.0',
    '1e3',
    '1E+2',
    '-0.0',
    '1e21',
    '9007199254740993',
    '123456789012345',
    '1234567890123456',
  ),
)
const nameText = fc
  .constantFrom(...names)
  .chain((name) => fc.constantFrom(JSON.stringify(name), JSON.stringify(name), written16(name)))
const { objectText } = fc.letrec<{ valueText: string; objectText: string }>((tie) => ({
  valueText: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    stringText,
    numberText,
    fc.constantFrom('true', 'false', 'null', '{}', '[]'),
    tie('objectText'),
    fc.array(tie('valueText'), { maxLength: 3 }).map((texts) => `[${texts.join(' , ')}]`),
  ),
  objectText: fc
    .array(fc.tuple(gap, nameText, gap, gap, tie('valueText'), gap), { maxLength: 6 })
    .map(
      (members) =>
        `{${members.map(([a, name, b, c, value, d]) => `${a}${name}${b}:${c}${value}${d}`).join(',')}}`,
    ),
}))

test('The cells of any document are those of its parsed values, names that occur twice included', () => {
  fc.assert(
    fc.property(objectText, (text) => {
      expect(written(text)).toEqual(parsed(text))
    }),
    { numRuns: 2000 },
  )
})

test.for([
  '{}',
  ' { } ',
  '{"name":""}',
  '{"name":"a,b"}',
  '{"name":"a;b","name":"c"}',
  '{"price":{"amount":1,"tax":{"rate":"x"}},"price":{"amount":null}}',
  '{"price":{"amount":1},"price":5}',
  '{"price":[1,{"amount":2}],"tags":["a","b"],"name":true}',
  '{"\\u006eame":"\\u0022","a\\"b":-0}',
])('The cells of %s are those of its parsed values', (text) => {
  expect(written(text)).toEqual(parsed(text))
})

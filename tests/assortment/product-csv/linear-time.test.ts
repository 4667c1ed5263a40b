import { describe, test } from 'vitest'
import { parseCell } from '../../../server/assortment/product-csv/cell-values.ts'
import { parseHeader } from '../../../server/assortment/product-csv/columns.ts'
import { parseRow, toBody } from '../../../server/assortment/product-csv/import-row.ts'
import { expectLinear } from '../../support/growth.ts'

const pieces = [
  '1',
  ' ',
  '\t',
  'a',
  '.',
  '-',
  '/',
  ':',
  '(',
  ')',
  'e1',
  '1 ',
  '1/',
  'T1',
  ':a',
  '):',
  ',',
  '\n',
]

/** Runs of each piece, which end as they began or in a way that nothing accepts. */
const runs = pieces.flatMap((piece) =>
  ['', 'x'].map((end) => [JSON.stringify(piece + end), piece, end] as const),
)

const runOf = (piece: string, end: string) => (size: number) =>
  piece.repeat(Math.ceil(size / piece.length)) + end

describe('a cell is read in linear time', () => {
  describe.each(['integer', 'float', 'boolean', 'date', 'string'] as const)('as %s', (type) => {
    test.each(runs)('%s', (_, piece, end) => {
      expectLinear((cell) => parseCell(type, cell, 'en-US'), runOf(piece, end))
      expectLinear((cell) => parseCell(type, cell), runOf(piece, end))
    })
  })
})

const required = ['name', 'sku', 'commodity_type']

describe('a header is read in linear time', () => {
  describe.each(['', 'template:', 'products(', 'admin_attributes.'])('a column %s', (beginning) => {
    test.each(runs)('%s', (_, piece, end) => {
      const columnOf = runOf(piece, end)
      expectLinear(
        (name) => parseHeader([...required, name]),
        (size) => beginning + columnOf(size),
      )
    })
  })
})

test('a row is read in linear time', () => {
  const rowOf = (size: number) => Array.from({ length: size }, (_, i) => `k${i}`).join(',')
  const columns = (text: string) =>
    text.split(',').map((key) => ({ is: 'key', of: 'admin_attributes', key }) as const)
  expectLinear((text) => toBody(parseRow(columns(text), 2, text.split(',')), undefined), rowOf)
})

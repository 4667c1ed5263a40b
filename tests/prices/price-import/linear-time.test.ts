import { describe, test } from 'vitest'
import { parseLine, toTarget } from '../../../server/prices/price-import/import-line.ts'
import { expectLinear } from '../../support/growth.ts'

const pieces = ['1', ' ', '\t', 'a', '-', '[', '{', ']', '"', '\\u0000', '{"a":', '[1,']
const around = [
  ['', ''],
  ['{"type":"product-price","id":"', '"}'],
  ['{"type":"pricebook","attributes":{"external_ref":"', '"}}'],
  ['{"data":{"type":"pricebook","attributes":{"external_ref":"a","x":"', '"}}}'],
] as const

describe.each(around)('a line is read in linear time: %s…%s', (beginning, end) => {
  test.each(pieces)('%j', (piece) => {
    expectLinear(
      (line) => toTarget(parseLine(line)),
      (size) => beginning + piece.repeat(Math.ceil(size / piece.length)) + end,
    )
  })
})

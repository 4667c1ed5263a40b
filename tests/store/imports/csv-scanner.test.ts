import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { normalizeName, requiredColumns } from '../../../server/assortment/product-csv/columns.ts'
import { toCsvLine } from '../../../server/kernel/http/csv-line.ts'
import { type CsvRow, CsvScanner } from '../../../server/store/imports/csv-scanner.ts'
import { columnsMax, rowCharactersMax, rowsMax } from '../../../server/store/imports/file-limits.ts'
import { anyCharacter } from '../../support/any-texts.ts'
import { expectLinear } from '../../support/growth.ts'
import { tries } from '../../support/long.ts'

function scan(...texts: readonly string[]): readonly CsvRow[] {
  const scanner = new CsvScanner({ required: requiredColumns, columnKey: normalizeName })
  return [...texts.flatMap((text) => [...scanner.read(text)]), ...scanner.end()]
}
const cellsOf = (...texts: readonly string[]) => scan(...texts).map(({ cells }) => cells)

const header = ['name', 'sku', 'commodity_type']
const odd = fc.constantFrom('', ' ', ',', ';', '\t', '"', '""', '\r', '\n', '\r\n', 'Pan 10" deep', '=1+1')
const cell = fc.oneof(odd, fc.string({ unit: anyCharacter, maxLength: 6 }))
// A row of empty cells, or of white space, is an empty row.
const rows = fc.array(
  fc.array(cell, { minLength: 3, maxLength: 3 }).filter((cells) => cells.some((one) => one.trim() !== '')),
  { maxLength: 5 },
)
const lineEnd = fc.constantFrom('\r\n', '\n', '\r')

/** A text in pieces of any size. */
function pieces(text: string, cuts: readonly number[]): readonly string[] {
  const at = [0, ...cuts.map((cut) => cut % (text.length + 1)), text.length].toSorted((a, b) => a - b)
  return at.slice(1).map((end, i) => text.slice(at[i], end))
}

describe('CSV', () => {
  test('is read as it was written, in any pieces, and as another parser reads it', () => {
    fc.assert(
      fc.property(rows, lineEnd, fc.array(fc.nat(), { maxLength: 5 }), (some, end, cuts) => {
        const text = [header, ...some].map((cells) => toCsvLine(cells).replace(/\r\n$/, end)).join('')
        expect(cellsOf(...pieces(text, cuts))).toEqual([header, ...some])
        const others = parse(text, { record_delimiter: end, bom: false }) as string[][]
        expect(others).toEqual([header, ...some])
      }),
      { numRuns: tries(125, 500) },
    )
  })

  test.each([
    [';', 'semicolons'],
    ['\t', 'tabs'],
    [',', 'commas'],
  ])('may be separated by %j (%s), as its header shows', (delimiter) => {
    fc.assert(
      fc.property(fc.constantFrom(',', ';', '\t', 'x'), (other) => {
        const names = [...header, `admin_attributes.a${other}b`]
        const quoted = names.map((name) => (name.includes(delimiter) ? `"${name}"` : name))
        const scanner = new CsvScanner({ required: requiredColumns, columnKey: normalizeName })
        const [first, row] = [
          ...scanner.read(`${quoted.join(delimiter)}\n1${delimiter}2${delimiter}3${delimiter}4\n`),
        ]
        expect([scanner.delimiter, first?.cells, row?.cells]).toEqual([
          delimiter,
          names,
          ['1', '2', '3', '4'],
        ])
      }),
    )
  })

  test.each([
    ['Pan 10" deep,s,p', ['Pan 10" deep', 's', 'p']],
    [' "a",s,p', [' "a"', 's', 'p']],
    ['a"",s,p', ['a""', 's', 'p']],
    ['"a""",s,p', ['a"', 's', 'p']],
    ['"",s,""', ['', 's', '']],
    ['a,s,', ['a', 's', '']],
  ])('%s', (line, cells) => {
    expect(cellsOf(`name,sku,commodity_type\n${line}`)).toEqual([header, cells])
  })

  test('that is exported is always separated by commas', () => {
    const names = [
      ...header,
      `admin_attributes.${';name;sku;commodity_type'.repeat(4)}`,
      'shopper_attributes.\ta',
    ]
    expect(cellsOf(toCsvLine(names), toCsvLine(['a', 'b', 'c', ';', '\t']))).toEqual([
      names,
      ['a', 'b', 'c', ';', '\t'],
    ])
  })

  test('numbers its rows as a spreadsheet does: empty rows count, and a cell with line ends is in one row', () => {
    const text = '\n,,\nname,sku,commodity_type\r\n\r\n"a\nb\r\nc",s,p\r\n,,\r\n ,"\t",\r\nd,t,p'
    expect(scan(text).map(({ row }) => row)).toEqual([3, 5, 8])
  })

  test.each([
    ['name,sku\na,"b', 2, 1, 'has an opening quote without a closing one.'],
    [
      'name,sku\n\na,"b"c',
      3,
      1,
      'has text after its closing quote. Write "" for a quote inside a quoted cell.',
    ],
  ])('that is malformed is refused with the place: %j', (text, row, cell, message) => {
    expect(() => scan(text)).toThrow(expect.objectContaining({ row, cell, message }))
  })
})

describe('the scanner does not hold what exceeds a limit', () => {
  /** How many characters of an endless file are read before it is refused, and why. */
  function readUntilRefused(text: string, before = ''): [characters: number, refusal: unknown] {
    const scanner = new CsvScanner({ required: requiredColumns, columnKey: normalizeName })
    let characters = 0
    try {
      for (const _ of scanner.read(before)) characters += 0
      for (;;) {
        for (const _ of scanner.read(text)) characters += 0
        characters += text.length
      }
    } catch (error) {
      return [characters, error]
    }
  }

  test.each([
    ['commas', ',', columnsMax, `A row must have at most ${columnsMax} cells.`],
    ['lines', '\n', rowsMax, `The file has more than ${rowsMax} rows, including its header and empty rows.`],
    ['characters', 'aaaaaaaa', rowCharactersMax, `A row must have at most ${rowCharactersMax} characters.`],
    [
      'line ends in quotes',
      '\n',
      rowCharactersMax,
      'This row has an opening quote without a closing one.',
      '"',
    ],
    ['commas behind a header', ',', columnsMax, `A row must have at most ${columnsMax} cells.`, 'a,b\n'],
    ['rows', 'a,b\n', 4 * rowsMax, `The file has more than ${rowsMax} rows`, 'a,b\n'],
  ])('%s', (_, text, most, message, before = '') => {
    const [characters, refusal] = readUntilRefused(text, before)
    expect(String(refusal)).toContain(message)
    expect(characters).toBeLessThanOrEqual(most)
  })

  test.each([',', ';a', '\n', '"\n', '"a",', '""', 'a', 'a"', '\r', ',"\n",', '"a"\n'])(
    '%j takes linear time',
    (piece) => {
      const textOf = (size: number) => `name,sku\n${piece.repeat(Math.ceil(size / piece.length))}`
      expectLinear(scan, textOf)
      expectLinear((text) => scan(...(text.match(/.{1,100}/gs) ?? [])), textOf)
    },
  )
})

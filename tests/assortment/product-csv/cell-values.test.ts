import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findLocale, type Locale, parseCell } from '../../../server/assortment/product-csv/cell-values.ts'

describe('a cell is read by the type of its field', () => {
  test.each([
    ['string', '', ''],
    ['string', ' x ', ' x '],
    ['integer', ' 12 ', 12],
    ['integer', '12.0', 12],
    ['integer', '0x10', '0x10'],
    ['integer', '', null],
    ['float', '-1.5e3', -1500],
    ['float', '.5', 0.5],
    ['float', 'Infinity', 'Infinity'],
    ['float', '1,5', '1,5'],
    ['boolean', 'TRUE', true],
    ['boolean', 'false', false],
    ['boolean', 'constructor', 'constructor'],
    ['boolean', ' ', null],
    ['date', ' 2026-01-31 ', '2026-01-31'],
    ['date', 'soon', 'soon'],
  ] as const)('%s %j', (type, cell, value) => {
    expect(parseCell(type, cell)).toEqual(value)
  })

  test('a date as a locale writes it needs the locale', () => {
    expect(() => parseCell('date', '31/1/2026 10:00:00')).toThrow('the query parameter `locale`')
  })

  test('numbers are what JSON accepts', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        expect(parseCell('float', JSON.stringify(number))).toBe(number === 0 ? 0 : number)
      }),
    )
  })
})

describe('dates are read as a locale writes them', () => {
  const day = fc.date({ min: new Date('1969-01-01'), max: new Date('2068-12-31'), noInvalidDate: true })
  const forms: Record<Locale, (of: Intl.DateTimeFormatOptions) => Intl.DateTimeFormat> = {
    'en-US': (of) => new Intl.DateTimeFormat('en-US', { timeZone: 'UTC', ...of }),
    'en-GB': (of) => new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', ...of }),
    // What the language knows as en-CA is another form than that of files.
    'en-CA': (of) => new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', ...of }),
  }
  const written = (date: Date, locale: Locale, year: 'numeric' | '2-digit', pad: 'numeric' | '2-digit') => {
    const parts = forms[locale]({ year, month: pad, day: pad }).formatToParts(date)
    const padded = (digits: string) => (pad === 'numeric' ? String(Number(digits)) : digits)
    return parts
      .map(({ type, value }) => (type === 'literal' ? '/' : type === 'year' ? value : padded(value)))
      .join('')
  }
  const aLocale = fc.constantFrom<Locale>('en-US', 'en-GB', 'en-CA')

  test('as the language itself does', () => {
    fc.assert(
      fc.property(day, aLocale, fc.constantFrom('numeric', '2-digit'), (date, locale, pad) => {
        const iso = date.toISOString().replace('T', ' ')
        const [seconds, minutes] = [iso.slice(11, 19), iso.slice(11, 16)]
        const long = `${written(date, locale, 'numeric', pad)} ${seconds}`
        expect(parseCell('date', long, locale)).toBe(iso.slice(0, 19))
        const short = `${written(date, locale, '2-digit', pad)} ${minutes}`
        expect(parseCell('date', short, locale)).toBe(`${iso.slice(0, 16)}:00`)
        for (const year of ['numeric', '2-digit'] as const)
          expect(parseCell('date', written(date, locale, year, pad), locale)).toBe(iso.slice(0, 10))
      }),
    )
  })

  test.each([
    ['1/31/2026 10:00:00', 'en-GB'],
    ['31/1/2026 10:00:00', 'en-US'],
    ['30/2/2026 10:00:00', 'en-CA'],
    ['31/12/2020', 'en-US'],
    ['12/31/2020', 'en-GB'],
    ['2/30/2026', 'en-US'],
    ['1/2/2026 25:00:00', 'en-US'],
    ['1/2/2026 10', 'en-US'],
    ['1/2/202', 'en-US'],
    ['soon', 'en-US'],
  ] as const)('and not %s as %s', (cell, locale) => {
    expect(() => parseCell('date', cell, locale)).toThrow(`must be a date as ${locale} writes it`)
  })

  test('without a time of day, as spreadsheets write them', () => {
    expect(parseCell('date', '12/31/2020', 'en-US')).toBe('2020-12-31')
    expect(parseCell('date', '31/12/20', 'en-GB')).toBe('2020-12-31')
    expect(parseCell('date', '31/12/2020 9:05', 'en-CA')).toBe('2020-12-31 09:05:00')
  })

  test('or as requests write them', () => {
    expect(parseCell('date', '2026-01-31', 'en-US')).toBe('2026-01-31')
    expect([findLocale('en-GB'), findLocale('de-DE'), findLocale('constructor'), findLocale(null)]).toEqual([
      'en-GB',
      undefined,
      undefined,
      undefined,
    ])
  })
})

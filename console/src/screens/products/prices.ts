import { type Item, isItem, valueAt } from '../../api/objects.ts'

/** The prices of a product in one price book. */
export interface PriceRow {
  readonly bookId: string
  readonly bookName: string
  /** The path of the price, and its version; undefined where the book has none. */
  readonly price: { readonly path: string; readonly etag: string | undefined } | undefined
  /** The amounts, with what else belongs to each, by the codes of their currencies. */
  readonly currencies: Readonly<Record<string, Item>>
  readonly sales: readonly Sale[]
}

export interface Sale {
  readonly name: string
  readonly from: string | undefined
  readonly to: string | undefined
  readonly amounts: Readonly<Record<string, number>>
}

/** What was typed, by cell. */
export type Edits = Readonly<Record<string, string>>

export const cellOf = (bookId: string, currency: string): string => `${bookId} ${currency}`

/** How amounts in the smallest unit are typed. */
export interface AmountTexts {
  write(minor: number, currency: string): string
  /** Undefined if it is no amount. */
  read(text: string, currency: string): number | undefined
}

const amountsIn = (value: unknown): Readonly<Record<string, Item>> =>
  Object.fromEntries(
    Object.entries(isItem(value) ? value : {}).flatMap(([code, one]) => (isItem(one) ? [[code, one]] : [])),
  )

const textAt = (item: unknown, path: string): string | undefined => {
  const value = valueAt(item, path)
  return typeof value === 'string' ? value : undefined
}

/** A book, and its price of the product if it has one. */
export function rowOf(book: Item, price?: { path: string; etag: string | undefined; item: Item }): PriceRow {
  return {
    bookId: String(book.id),
    bookName: textAt(book, 'attributes.name') ?? String(book.id),
    price: price && { path: price.path, etag: price.etag },
    currencies: amountsIn(valueAt(price?.item, 'attributes.currencies')),
    sales: Object.entries(amountsIn(valueAt(price?.item, 'attributes.sales'))).map(([name, sale]) => ({
      name,
      from: textAt(sale, 'schedule.valid_from') ?? textAt(sale, 'schedule.valid_form'),
      to: textAt(sale, 'schedule.valid_to'),
      amounts: Object.fromEntries(
        Object.entries(amountsIn(sale.currencies)).map(([code, { amount }]) => [code, Number(amount)]),
      ),
    })),
  }
}

export interface Tier {
  readonly from: number
  readonly amount: number
}

export const tiersOf = (row: PriceRow, currency: string): readonly Tier[] =>
  Object.values(amountsIn(row.currencies[currency]?.tiers))
    .map(({ minimum_quantity, amount }) => ({ from: Number(minimum_quantity), amount: Number(amount) }))
    .toSorted((one, other) => one.from - other.from)

/** The text of a cell as the server has it. */
export function storedText(row: PriceRow, currency: string, texts: AmountTexts): string {
  const amount = row.currencies[currency]?.amount
  return amount === undefined ? '' : texts.write(Number(amount), currency)
}

/** The amount that was typed; `none` for an empty cell, undefined if it is no amount. */
function typedAmount(text: string, currency: string, texts: AmountTexts): number | 'none' | undefined {
  if (text.trim() === '') return 'none'
  const amount = texts.read(text, currency)
  return amount === undefined || amount < 0 ? undefined : amount
}

/** A cell whose text says something else than the server. */
export interface CellChange {
  readonly currency: string
  readonly before: number | undefined
  /** `none` takes the amount away; undefined if the text is no amount. */
  readonly after: number | 'none' | undefined
}

export interface RowChange {
  readonly row: PriceRow
  readonly cells: readonly CellChange[]
}

/** What differs from what the server has, by row. */
export function changesOf(
  rows: readonly PriceRow[],
  currencies: readonly string[],
  edits: Edits,
  texts: AmountTexts,
): readonly RowChange[] {
  return rows.flatMap((row) => {
    const cells = currencies.flatMap((currency): CellChange[] => {
      const text = edits[cellOf(row.bookId, currency)]
      if (text === undefined) return []
      const amount = row.currencies[currency]?.amount
      const before = amount === undefined ? undefined : Number(amount)
      const after = typedAmount(text, currency, texts)
      return after === (before ?? 'none') ? [] : [{ currency, before, after }]
    })
    return cells.length ? [{ row, cells }] : []
  })
}

/** The amounts of a row with its changes. What else belongs to an amount stays; a new one has tax as the others do. */
export function currenciesAfter({ row, cells }: RowChange): Readonly<Record<string, Item>> {
  const includes_tax = Object.values(row.currencies).some((one) => one.includes_tax === true)
  const next: Record<string, Item> = { ...row.currencies }
  for (const { currency, after } of cells) {
    if (after === 'none') delete next[currency]
    else if (after !== undefined) next[currency] = { ...(next[currency] ?? { includes_tax }), amount: after }
  }
  return next
}

/** The cells of a text from a spreadsheet: rows by lines, columns by tabs. */
export const cellsIn = (text: string): readonly (readonly string[])[] =>
  text
    .replace(/\r?\n$/, '')
    .split(/\r?\n/)
    .map((line) => line.split('\t'))

/** An amount as a spreadsheet shows it, without its currency and its thousands. A comma elsewhere makes it no amount. */
export function plainAmount(text: string, thousands: string): string {
  const bare = text.replaceAll(/[\s\p{Sc}\p{L}]/gu, '')
  const [first = '', ...groups] = (/^[\d,.'’]+$/.test(bare) ? bare : '').split(thousands)
  const isGrouped = /^\d{1,3}$/.test(first) && groups.every((one) => /^\d{3}(\D\d*)?$/.test(one))
  return groups.length && isGrouped ? [first, ...groups].join('') : bare
}

export interface Pasted {
  readonly edits: Edits
  /** How many values have no cell. */
  readonly outside: number
}

/** Puts the cells of a text into the grid, from one of its cells to the end and downwards. */
export function paste(
  grid: readonly (readonly string[])[],
  text: string,
  at: { readonly row: number; readonly column: number },
  thousands: string,
): Pasted {
  const edits: Record<string, string> = {}
  let outside = 0
  for (const [i, line] of cellsIn(text).entries())
    for (const [j, value] of line.entries()) {
      const cell = grid[at.row + i]?.[at.column + j]
      if (cell === undefined) outside += 1
      else edits[cell] = plainAmount(value, thousands)
    }
  return { edits, outside }
}

import { Link } from '@tanstack/react-router'
import { type ClipboardEvent, type KeyboardEvent, useId, useState } from 'react'
import { useRights } from '../../api/rights.ts'
import { Money } from '../../fields/money.tsx'
import { Button } from '../../parts/button.tsx'
import parts from '../../parts/parts.module.css'
import { timeText } from '../../words/times.ts'
import { screenWords, words } from '../../words/words.ts'
import { PriceChanges } from './price-changes.tsx'
import {
  type AmountTexts,
  cellOf,
  changesOf,
  type Edits,
  type PriceRow,
  paste,
  storedText,
  tiersOf,
} from './prices.ts'
import css from './products.module.css'
import { usePriceEdits } from './use-price-edits.ts'
import { type PriceWrites, useSavePrices } from './use-save-prices.ts'

interface PriceGridProps extends PriceWrites {
  readonly itemPath: string
  readonly sku: string
  readonly rows: readonly PriceRow[]
  readonly currencies: readonly string[]
  readonly texts: AmountTexts
}

/** Price books by currencies. Cells can be typed, and pasted from a spreadsheet; arrows and Enter go up and down. */
export function PriceGrid(props: PriceGridProps) {
  const { itemPath, sku, rows, currencies, texts, create, update, remove } = props
  const id = useId()
  const { prices } = screenWords.products
  const rights = useRights()
  const [edits, changeEdits] = usePriceEdits(itemPath)
  const { save, faults, isRunning } = useSavePrices({ create, update, remove }, sku)
  const [said, setSaid] = useState('')
  const changes = changesOf(rows, currencies, edits, texts)
  const wrong = changes.flatMap(({ row, cells }) =>
    cells.flatMap(({ currency, after }) => (after === undefined ? [cellOf(row.bookId, currency)] : [])),
  )
  const mayChange = (row: PriceRow) => rights.may(row.price ? update.right : create.right)
  const setCells = (cells: Edits) => {
    setSaid('')
    changeEdits((before) => ({ ...before, ...cells }))
  }
  const focus = (row: number, column: number) => document.getElementById(`${id}-${row}-${column}`)?.focus()
  const onKeyDown = (event: KeyboardEvent, row: number, column: number) => {
    const step = { ArrowUp: -1, ArrowDown: 1, Enter: event.shiftKey ? -1 : 1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    focus(row + step, column)
  }
  const onPaste = (event: ClipboardEvent, row: number, column: number) => {
    const text = event.clipboardData.getData('text/plain')
    if (!/[\t\n]/.test(text.trimEnd())) return
    event.preventDefault()
    const grid = rows.map((one) =>
      mayChange(one) ? currencies.map((currency) => cellOf(one.bookId, currency)) : [],
    )
    const pasted = paste(grid, text, { row, column }, words.thousandsSeparator)
    setCells(pasted.edits)
    setSaid(prices.pasted(Object.keys(pasted.edits).length, pasted.outside))
  }
  const submit = async () => {
    setSaid('')
    const saved = await save(changes)
    const cells = saved.flatMap(({ row, cells }) => cells.map(({ currency }) => cellOf(row.bookId, currency)))
    changeEdits((before) =>
      Object.fromEntries(Object.entries(before).filter(([cell]) => !cells.includes(cell))),
    )
    setSaid(cells.length ? prices.saved(cells.length) : '')
  }
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard. */}
      {/* biome-ignore lint/a11y/useSemanticElements: a table is no group of fields. */}
      <div className={css.scroller} role="group" aria-label={prices.tab} tabIndex={0}>
        <table className={css.grid}>
          <thead>
            <tr>
              <th scope="col">{prices.book}</th>
              {currencies.map((currency) => (
                <th key={currency} scope="col">
                  {currency}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, i) => (
              <tr key={row.bookId}>
                <th scope="row">
                  <Link
                    to="/$"
                    params={{ _splat: (row.price?.path ?? `/pcm/pricebooks/${row.bookId}`).slice(1) }}
                  >
                    <bdi>{row.bookName}</bdi>
                  </Link>
                  {faults[row.bookId] && (
                    <p role="alert" className={css.fault}>
                      {faults[row.bookId]}
                    </p>
                  )}
                </th>
                {currencies.map((currency, j) => {
                  const cell = cellOf(row.bookId, currency)
                  const fault = wrong.includes(cell) ? prices.wrong(currency) : faults[cell]
                  return (
                    <td key={currency}>
                      {mayChange(row) ? (
                        <input
                          id={`${id}-${i}-${j}`}
                          className={parts.input}
                          aria-label={prices.cell(row.bookName, currency)}
                          aria-invalid={fault !== undefined}
                          aria-describedby={fault === undefined ? undefined : `${id}-${i}-${j}-fault`}
                          inputMode="decimal"
                          autoComplete="off"
                          data-changed={changes.some(
                            (one) => one.row === row && one.cells.some((some) => some.currency === currency),
                          )}
                          value={edits[cell] ?? storedText(row, currency, texts)}
                          onChange={({ target }) => setCells({ [cell]: target.value })}
                          onKeyDown={(event) => onKeyDown(event, i, j)}
                          onPaste={(event) => onPaste(event, i, j)}
                        />
                      ) : (
                        storedText(row, currency, texts)
                      )}
                      {fault !== undefined && (
                        <p id={`${id}-${i}-${j}-fault`} className={css.fault}>
                          {fault}
                        </p>
                      )}
                      <Beside {...{ row, currency }} />
                    </td>
                  )
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <PriceChanges {...{ changes }} />
      <p role="status">{said}</p>
      {changes.length > 0 && (
        <div className={parts.row}>
          <Button type="submit" look="main" disabled={isRunning || wrong.length > 0}>
            {prices.save(changes.reduce((sum, { cells }) => sum + cells.length, 0))}
          </Button>
          <Button disabled={isRunning} onClick={() => changeEdits(() => ({}))}>
            {prices.discard}
          </Button>
        </div>
      )}
    </form>
  )
}

/** What belongs to an amount, and is changed on the page of the price: its tax, its tiers, its sales. */
function Beside({ row, currency }: { readonly row: PriceRow; readonly currency: string }) {
  const { prices } = screenWords.products
  const sales = row.sales.filter(({ amounts }) => amounts[currency] !== undefined)
  const hasTax = row.currencies[currency]?.includes_tax === true
  return (
    <div className={css.beside}>
      {hasTax && <div>{words.money.includesTax}</div>}
      {tiersOf(row, currency).map(({ from, amount }) => (
        <div key={from}>
          {prices.tier(from)} <Money {...{ amount, currency }} />
        </div>
      ))}
      {sales.map(({ name, from, to, amounts }) => (
        <div key={name}>
          {prices.sale} <bdi>{name}</bdi>: <Money amount={amounts[currency] ?? 0} currency={currency} />
          {(from || to) && ` (${from ? timeText(from) : '…'} – ${to ? timeText(to) : '…'})`}
        </div>
      ))}
    </div>
  )
}

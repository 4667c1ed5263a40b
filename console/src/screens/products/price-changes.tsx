import { Money } from '../../fields/money.tsx'
import { screenWords } from '../../words/words.ts'
import { currenciesAfter, type RowChange } from './prices.ts'
import css from './products.module.css'

/** What a save would change, with what goes with it. */
export function PriceChanges({ changes }: { readonly changes: readonly RowChange[] }) {
  const { prices } = screenWords.products
  const cells = changes.flatMap(({ row, cells }) => cells.map((cell) => ({ ...cell, row })))
  if (cells.length === 0) return null
  const ended = changes.filter((one) => one.row.price && Object.keys(currenciesAfter(one)).length === 0)
  return (
    <section aria-labelledby="changes">
      <h3 id="changes">{prices.changes}</h3>
      <ul>
        {cells.map(({ row, currency, before, after }) => (
          <li key={`${row.bookId} ${currency}`}>
            <bdi>{row.bookName}</bdi>, {currency}:{' '}
            {before === undefined ? prices.none : <Money amount={before} currency={currency} />} →{' '}
            {typeof after === 'number' ? (
              <Money amount={after} currency={currency} />
            ) : after === 'none' ? (
              prices.none
            ) : (
              prices.wrong(currency)
            )}
          </li>
        ))}
      </ul>
      {ended.map(({ row }) => (
        <p key={row.bookId} className={css.fault}>
          {prices.ends(row.bookName)}
        </p>
      ))}
      <p className={css.dim}>{prices.published}</p>
    </section>
  )
}

import type { Item } from '../../api/objects.ts'
import { Money } from '../../fields/money.tsx'
import { Reference } from '../../fields/reference.tsx'
import { screenWords, words } from '../../words/words.ts'
import { amountOf, currencyOf } from './order.ts'
import css from './orders.module.css'
import { type Contents, type Line, linesOf, type Step, stepsOf } from './totals.ts'

interface OrderLinesProps {
  readonly order: Item
  readonly contents: Contents
}

/** What was ordered, with each discount by its name, and how that comes to the total. */
export function OrderLines({ order, contents }: OrderLinesProps) {
  const { lines: texts } = screenWords.orders
  const currency = currencyOf(order)
  const lines = linesOf(contents)
  return (
    <section aria-labelledby="lines">
      <h2 id="lines">
        {texts.title} <span className={css.dim}>{words.number(lines.length)}</span>
      </h2>
      <ol className={css.lines}>
        {lines.map((line) => (
          <OneLine key={line.id} {...{ line, currency }} />
        ))}
      </ol>
      <p className={css.total}>
        <span>{screenWords.orders.head.total}</span>
        <strong>
          <Money amount={amountOf(order, 'with_tax')} currency={currency} />
        </strong>
      </p>
      <details className={css.why}>
        <summary>{texts.why}</summary>
        <Steps steps={stepsOf(order, contents)} currency={currency} />
        <p className={css.dim}>{texts.whyAbout}</p>
      </details>
    </section>
  )
}

function OneLine({ line, currency }: { readonly line: Line; readonly currency: string }) {
  const { lines: texts } = screenWords.orders
  return (
    <li>
      <div>
        {line.productId === undefined ? (
          <bdi>{line.name}</bdi>
        ) : (
          <Reference type="product" id={line.productId} />
        )}
        <div className={css.dim}>
          {line.sku && <bdi>{line.sku}</bdi>} {texts.times(line.quantity)}{' '}
          <Money amount={line.unit} currency={currency} />
          {line.includesTax && ` ${words.money.includesTax}`}
        </div>
        {line.discounts.map(({ id, name, amount }, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a promotion may take something off a line twice.
          <div key={`${id} ${i}`}>
            <bdi>{name}</bdi>: <Money amount={amount} currency={currency} />
          </div>
        ))}
        {line.taxes.map(({ id, name, amount }) => (
          <div key={id} className={css.dim}>
            {name ? <bdi>{name}</bdi> : texts.tax}: <Money amount={amount} currency={currency} />
          </div>
        ))}
      </div>
      <Money amount={line.total} currency={currency} />
    </li>
  )
}

function Steps({ steps, currency }: { readonly steps: readonly Step[]; readonly currency: string }) {
  const { steps: texts, lines } = screenWords.orders
  return (
    <table className={css.steps}>
      <caption className="readersOnly">{lines.why}</caption>
      <tbody>
        {steps.map(({ id, kind, name, amount }) => (
          <tr key={`${kind} ${id}`} data-kind={kind}>
            <th scope="row">{kind === 'discount' ? <bdi>{name}</bdi> : texts[kind]}</th>
            <td>
              <Money amount={amount} currency={currency} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

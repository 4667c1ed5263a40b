import { words } from '../words/words.ts'
import css from './fields.module.css'
import { Amounts, amountsIn, isMoney, Money } from './money.tsx'
import { isEmpty, Structure } from './structure.tsx'
import { Time } from './time.tsx'

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/

interface CellProps {
  readonly value: unknown
  /** The currency of a number that is an amount. */
  readonly currency?: string | undefined
  /** How many structures it is inside of. */
  readonly level?: number
}

/** A value as a table or a record shows it. */
export function Cell({ value, currency, level = 0 }: CellProps) {
  if (value === undefined || value === null || value === '' || isEmpty(value))
    return (
      <span className={css.none}>
        <span aria-hidden="true">–</span>
        <span className="readersOnly">{words.noValue}</span>
      </span>
    )
  if (typeof value === 'boolean') return <>{value ? words.yes : words.no}</>
  if (typeof value === 'number')
    return currency && Number.isSafeInteger(value) ? (
      <Money amount={value} currency={currency} />
    ) : (
      <span className={css.number}>{words.number(value)}</span>
    )
  if (typeof value === 'string') return isoTime.test(value) ? <Time iso={value} /> : <bdi>{value}</bdi>
  if (isMoney(value)) return <Money {...value} />
  const amounts = amountsIn(value)
  return amounts ? <Amounts amounts={amounts} /> : <Structure value={value} level={level} />
}

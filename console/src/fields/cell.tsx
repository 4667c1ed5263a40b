import { words } from '../words/words.ts'
import css from './fields.module.css'
import { Time } from './time.tsx'

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/

/** A value as a table or a record shows it. */
export function Cell({ value }: { readonly value: unknown }) {
  if (value === undefined || value === null || value === '')
    return (
      <span className={css.none}>
        <span aria-hidden="true">–</span>
        <span className="readersOnly">{words.noValue}</span>
      </span>
    )
  if (typeof value === 'boolean') return <>{value ? words.yes : words.no}</>
  if (typeof value === 'number') return <span className={css.number}>{words.number(value)}</span>
  if (typeof value === 'string') return isoTime.test(value) ? <Time iso={value} /> : <bdi>{value}</bdi>
  return <code className={css.code}>{JSON.stringify(value)}</code>
}

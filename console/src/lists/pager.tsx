import { type FormEvent, useState } from 'react'
import { Button } from '../parts/button.tsx'
import parts from '../parts/parts.module.css'
import { words } from '../words/words.ts'
import { pageSizes } from './address.ts'
import css from './lists.module.css'

interface PagerProps {
  readonly page: number
  readonly pages: number
  /** The last page that the API leads to, where that is not the last of all. */
  readonly reach: number
  readonly limit: number
  onPage(page: number): void
  onLimit(limit: number): void
}

/** Goes to the next page, to any page, and says how many there are. */
export function Pager({ page, pages, reach, limit, onPage, onLimit }: PagerProps) {
  const [target, setTarget] = useState('')
  const go = (event: FormEvent) => {
    event.preventDefault()
    const wanted = Math.min(Math.max(Math.trunc(Number(target)), 1), Math.min(pages, reach))
    if (Number.isFinite(wanted)) onPage(wanted)
    setTarget('')
  }
  return (
    <nav className={css.pager} aria-label={words.list.page(page, pages)}>
      <Button disabled={page <= 1} onClick={() => onPage(page - 1)}>
        {words.list.previous}
      </Button>
      <span>{words.list.page(page, pages)}</span>
      <Button disabled={page >= Math.min(pages, reach)} onClick={() => onPage(page + 1)}>
        {words.list.next}
      </Button>
      <form onSubmit={go} className={parts.row}>
        <input
          className={`${parts.input} ${css.pageNumber}`}
          inputMode="numeric"
          aria-label={words.list.goTo}
          placeholder={words.list.goTo}
          value={target}
          onChange={({ target: { value } }) => setTarget(value)}
        />
        <Button type="submit">{words.list.go}</Button>
      </form>
      <label className={parts.row}>
        {words.list.perPage}
        <select
          className={parts.input}
          value={limit}
          onChange={({ target: { value } }) => onLimit(Number(value))}
        >
          {pageSizes.map((size) => (
            <option key={size}>{size}</option>
          ))}
        </select>
      </label>
      {pages > reach && <small>{words.list.reach(reach)}</small>}
    </nav>
  )
}

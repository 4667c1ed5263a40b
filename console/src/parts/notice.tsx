import type { ReactNode } from 'react'
import css from './parts.module.css'

interface NoticeProps {
  readonly sign: string
  readonly title: string
  readonly about: string
  readonly children?: ReactNode
}

/** What a screen shows in place of its content: nothing here, no right, no match, a failure. */
export const Notice = ({ sign, title, about, children }: NoticeProps) => (
  <div className={css.notice} role="status">
    <div className={css.sign} aria-hidden="true">
      {sign}
    </div>
    <h2>{title}</h2>
    <p>{about}</p>
    {children}
  </div>
)

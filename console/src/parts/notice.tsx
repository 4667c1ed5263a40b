import type { ReactNode } from 'react'
import css from './parts.module.css'

interface NoticeProps {
  readonly sign: string
  readonly title: string
  readonly about: string
  /** The screen shows nothing else, so its title is that of the page. */
  readonly isPage?: boolean
  readonly children?: ReactNode
}

/** What a screen shows in place of its content: nothing here, no right, no match, a failure. */
export function Notice({ sign, title, about, isPage = false, children }: NoticeProps) {
  const Heading = isPage ? 'h1' : 'h2'
  return (
    <div className={css.notice} role="status">
      <div className={css.sign} aria-hidden="true">
        {sign}
      </div>
      <Heading>{title}</Heading>
      <p>{about}</p>
      {children}
    </div>
  )
}

import { useState } from 'react'
import { words } from '../words/words.ts'
import { Button } from './button.tsx'
import css from './parts.module.css'

/** A text to read and to copy. */
export function Snippet({ text, label }: { readonly text: string; readonly label: string }) {
  const [isCopied, setCopied] = useState(false)
  const copy = () => navigator.clipboard.writeText(text).then(() => setCopied(true))
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by the keyboard. */}
      <section className={css.pre} tabIndex={0} aria-label={label}>
        {text}
      </section>
      <p className={css.row}>
        <Button onClick={copy}>{words.copy}</Button>
        <span aria-live="polite">{isCopied ? words.copied : ''}</span>
      </p>
    </>
  )
}

import { Popover } from '@base-ui/react/popover'
import { Link } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { Button, buttonClass } from '../parts/button.tsx'
import parts from '../parts/parts.module.css'
import { chooseLanguage, type Language, languages, words } from '../words/words.ts'
import css from './shell.module.css'

/** What somebody chooses for the console itself, and a colleague for themselves. */
export function Settings({ onPassword }: { onPassword?: () => void }) {
  const id = useId()
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  return (
    <Popover.Root open={isOpen} onOpenChange={setOpen}>
      <Popover.Trigger className={buttonClass()} aria-label={words.shell.settings}>
        <span aria-hidden="true">⚙</span>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={6} align="end" className={css.over}>
          <Popover.Popup className={css.settings} aria-label={words.shell.settings}>
            <label htmlFor={id}>{words.shell.language}</label>
            <select
              id={id}
              className={parts.input}
              value={words.language}
              onChange={({ target }) => void chooseLanguage(target.value as Language)}
            >
              {Object.entries(languages).map(([language, name]) => (
                <option key={language} value={language}>
                  {name}
                </option>
              ))}
            </select>
            {onPassword && (
              <>
                <Button
                  onClick={() => {
                    close()
                    onPassword()
                  }}
                >
                  {words.password.title}
                </Button>
                <Link to="/$" params={{ _splat: 'v2/colleague-sessions' }} onClick={close}>
                  {words.password.sessions}
                </Link>
              </>
            )}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}

import { Popover } from '@base-ui/react/popover'
import { useId } from 'react'
import { buttonClass } from '../parts/button.tsx'
import parts from '../parts/parts.module.css'
import { chooseLanguage, type Language, languages, words } from '../words/words.ts'
import css from './shell.module.css'

/** What somebody chooses for the console itself. */
export function Settings() {
  const id = useId()
  return (
    <Popover.Root>
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
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}

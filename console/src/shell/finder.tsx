import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useId, useState } from 'react'
import { resources } from '../api/resources.ts'
import parts from '../parts/parts.module.css'
import { Window } from '../parts/window.tsx'
import { words } from '../words/words.ts'
import css from './shell.module.css'

const screens = resources.filter(({ path }) => !path.includes('{'))

/** The screens with all of the words in their names; those that begin with them come first. */
function findScreens(text: string) {
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean)
  return screens
    .filter(({ title, group }) => wanted.every((word) => `${title} ${group}`.toLowerCase().includes(word)))
    .toSorted((one, other) => placeOf(one.title, wanted) - placeOf(other.title, wanted))
    .slice(0, 12)
}

const placeOf = (title: string, [first = '']: readonly string[]) => {
  const at = title.toLowerCase().indexOf(first)
  return at < 0 ? title.length : at
}

/** Ctrl or ⌘ and K: finds a screen by its name. */
export function Finder({ isOpen, onClose }: { readonly isOpen: boolean; onClose(): void }) {
  const id = useId()
  const navigate = useNavigate()
  const [text, setText] = useState('')
  const [active, setActive] = useState(0)
  const found = findScreens(text)
  const go = (path: string) => {
    setText('')
    onClose()
    return navigate({ to: '/$', params: { _splat: path.slice(1) } })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const chosen = found[active]
    if (step) setActive((at) => (at + step + found.length) % Math.max(found.length, 1))
    else if (event.key === 'Enter' && chosen) go(chosen.path)
    else return
    event.preventDefault()
  }
  return (
    <Window title={words.shell.find} isOpen={isOpen} onClose={onClose}>
      <input
        className={`${parts.input} ${css.findInput}`}
        role="combobox"
        aria-label={words.shell.find}
        aria-expanded
        aria-controls={`${id}-list`}
        aria-activedescendant={found[active] && `${id}-${active}`}
        value={text}
        onKeyDown={onKeyDown}
        onChange={({ target }) => {
          setText(target.value)
          setActive(0)
        }}
      />
      <div role="listbox" id={`${id}-list`} aria-label={words.shell.screens} className={css.found}>
        {found.map(({ id: screen, title, group, path }, i) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field above.
          <div
            key={screen}
            id={`${id}-${i}`}
            role="option"
            tabIndex={-1}
            aria-selected={i === active}
            onClick={() => go(path)}
          >
            {title} <span>{group}</span>
          </div>
        ))}
      </div>
      {found.length === 0 && <p role="status">{words.shell.findNone}</p>}
    </Window>
  )
}

import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import { useRights } from '../api/rights.ts'
import { useSettled } from '../forms/use-settled.ts'
import { presentActions } from '../parts/actions.ts'
import parts from '../parts/parts.module.css'
import { Window } from '../parts/window.tsx'
import { screensNow } from '../screens/areas.ts'
import { words } from '../words/words.ts'
import { findRecords } from './find-records.ts'
import css from './shell.module.css'

interface Result {
  readonly key: string
  readonly title: string
  readonly about: string
  run(): void
}

const screensMax = 8
const shortestText = 2
const pauseMs = 180

const wordsIn = (text: string) => text.toLowerCase().split(/\s+/).filter(Boolean)

/** Those with all of the words in their titles or in their names in the API; the sooner the first word, the better. */
function matching<T extends { readonly title: string; readonly id?: string }>(
  some: readonly T[],
  text: string,
): readonly T[] {
  const wanted = wordsIn(text)
  const textOf = ({ title, id = '' }: T) => `${title} ${id}`.toLowerCase()
  const place = (one: T) => textOf(one).indexOf(wanted[0] ?? '')
  return some
    .filter((one) => wanted.every((word) => textOf(one).includes(word)))
    .toSorted((one, other) => place(one) - place(other))
}

/** Ctrl or ⌘ and K: finds a screen by its name, an action of the present screen, and objects. */
export function Finder({ onClose }: { onClose(): void }) {
  const id = useId()
  const [text, setText] = useState('')
  const [active, setActive] = useState(0)
  const { results, isLooking } = useResults(text)
  const at = Math.min(active, Math.max(results.length - 1, 0))
  useEffect(() => document.getElementById(`${id}-${at}`)?.scrollIntoView({ block: 'nearest' }), [id, at])
  const run = (result: Result) => {
    onClose()
    result.run()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const chosen = results[at]
    if (step) setActive((at + step + results.length) % Math.max(results.length, 1))
    else if (event.key === 'Enter' && chosen) run(chosen)
    else return
    event.preventDefault()
  }
  const { find, findAbout, findNone, finding, found, screens } = words.shell
  return (
    <Window title={find} isOpen onClose={onClose}>
      <input
        className={`${parts.input} ${css.findInput}`}
        role="combobox"
        aria-label={find}
        placeholder={findAbout}
        aria-expanded
        aria-controls={`${id}-list`}
        aria-activedescendant={results[at] && `${id}-${at}`}
        spellCheck={false}
        value={text}
        onKeyDown={onKeyDown}
        onChange={({ target }) => {
          setText(target.value)
          setActive(0)
        }}
      />
      <div role="listbox" id={`${id}-list`} aria-label={screens} className={css.found}>
        {results.map((result, i) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field above.
          <div
            key={result.key}
            id={`${id}-${i}`}
            role="option"
            tabIndex={-1}
            aria-selected={i === at}
            onClick={() => run(result)}
          >
            <bdi>{result.title}</bdi> <span>{result.about}</span>
          </div>
        ))}
      </div>
      <p role="status" className={css.findState}>
        {isLooking ? finding : results.length ? found(results.length) : findNone}
      </p>
    </Window>
  )
}

function useResults(text: string): { readonly results: readonly Result[]; readonly isLooking: boolean } {
  const navigate = useNavigate()
  const rights = useRights()
  const settled = useSettled(text.trim(), pauseMs)
  const isLong = settled.length >= shortestText
  const records = useQuery({
    queryKey: ['find', settled],
    queryFn: ({ signal }) => findRecords(settled, rights, signal),
    enabled: isLong,
  })
  const go = (path: string) => () => void navigate({ to: '/$', params: { _splat: path.slice(1) } })
  const actions = matching(presentActions(), text).map(({ title, keys, run }) => ({
    ...{ key: `action ${title}`, title, about: keys ?? words.shell.actionsHere, run },
  }))
  const lists = matching(
    screensNow().filter(({ right }) => rights.may(right)),
    text,
  ).map(({ id, title, group, path }) => ({ key: `screen ${id}`, title, about: group, run: go(path) }))
  const objects = (isLong ? (records.data ?? []) : []).map(({ name, kind, path }) => ({
    ...{ key: path, title: name, about: kind, run: go(path) },
  }))
  const named = text.trim() ? [...lists.slice(0, screensMax), ...actions] : [...actions, ...lists]
  return {
    results: [...named.slice(0, screensMax * 2), ...objects],
    isLooking: isLong && (records.isFetching || settled !== text.trim()),
  }
}

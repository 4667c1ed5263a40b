import { Link } from '@tanstack/react-router'
import { type KeyboardEvent, useDeferredValue, useState } from 'react'
import { useRights } from '../api/rights.ts'
import { Button } from '../parts/button.tsx'
import { words } from '../words/words.ts'
import css from './fields.module.css'
import { NamedLink } from './reference.tsx'
import { type Choice, type Source, useChoices } from './references.ts'

interface PickerProps {
  readonly source: Source
  readonly ids: readonly string[]
  /** What was typed and not chosen yet. */
  readonly typed: string
  readonly isMany: boolean
  /** What the input has as every editor of the form. Its value is what is searched, not what is chosen. */
  readonly shared: React.ComponentProps<'input'>
  onChange(ids: readonly string[], typed: string): void
}

/** Chooses objects by searching their list. What is chosen stands above with its name and a link. */
export function Picker({ source, ids, typed, isMany, shared, onChange }: PickerProps) {
  const choose = ({ id }: Choice) => onChange(isMany ? [...ids, id] : [id], '')
  return (
    <div className={css.lines}>
      {ids.length > 0 && (
        <ul className={css.chosen}>
          {ids.map((id) => (
            <li key={id}>
              <NamedLink source={source} id={id} />
              <Button
                aria-label={words.picker.remove(id)}
                onClick={() =>
                  onChange(
                    ids.filter((one) => one !== id),
                    typed,
                  )
                }
              >
                ✕
              </Button>
            </li>
          ))}
        </ul>
      )}
      <Search
        {...{ source, ids, shared }}
        text={typed}
        onText={(text) => onChange(ids, text)}
        onChoose={choose}
      />
      <NewLink {...source} />
    </div>
  )
}

/** The way to make an object that the list does not have yet. */
function NewLink({ resource, listPath }: Source) {
  const rights = useRights()
  // A file is uploaded beside the search.
  if (!resource.create || resource.create.isUpload || !rights.may(resource.create.right)) return null
  return (
    <Link to="/$" params={{ _splat: listPath.slice(1) }} search={{ form: 'new' }} className={css.new}>
      {words.list.createOne(resource.noun[0])}
    </Link>
  )
}

interface SearchProps extends Pick<PickerProps, 'source' | 'shared'> {
  /** What is chosen already. */
  readonly ids?: readonly string[]
  readonly text: string
  onText(text: string): void
  onChoose(choice: Choice): void
}

/** A text, and the objects of a list that it finds. */
export function Search({ source, ids = [], shared, text, onText, onChoose }: SearchProps) {
  const [isOpen, setOpen] = useState(false)
  const [active, setActive] = useState(0)
  const wanted = useDeferredValue(text.trim())
  const { data = [], isFetching } = useChoices(source, wanted, isOpen)
  const choices = data.filter(({ id }) => !ids.includes(id))
  const listId = `${shared.id}-choices`
  const choose = (choice: Choice) => {
    onChoose(choice)
    setOpen(false)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const chosen = choices[active]
    if (step) {
      setOpen(true)
      setActive((at) => (at + step + choices.length) % Math.max(choices.length, 1))
    } else if (event.key === 'Enter' && isOpen && chosen) choose(chosen)
    else if (event.key === 'Escape' && isOpen) setOpen(false)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div className={css.search}>
      <input
        {...shared}
        type="text"
        role="combobox"
        autoComplete="off"
        spellCheck={false}
        aria-expanded={isOpen}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={isOpen && choices[active] ? `${listId}-${active}` : undefined}
        value={text}
        placeholder={words.picker.search(source.resource.noun[1])}
        onChange={({ target }) => {
          onText(target.value)
          setActive(0)
          setOpen(true)
        }}
        onClick={() => setOpen(true)}
        onKeyDown={onKeyDown}
        onBlur={(event) => {
          setOpen(false)
          shared.onBlur?.(event)
        }}
      />
      <div className={isOpen ? css.choices : css.closed}>
        <p className={css.status} role="status">
          {isOpen && (isFetching ? words.loading : choices.length === 0 ? words.picker.nothing : '')}
        </p>
        <div role="listbox" id={listId} aria-label={words.picker.search(source.resource.noun[1])}>
          {isOpen &&
            choices.map((choice, i) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the input, which keeps the focus.
              <div
                key={choice.id}
                id={`${listId}-${i}`}
                role="option"
                tabIndex={-1}
                aria-selected={i === active}
                className={css.choice}
                // The input would lose the focus, and the list be closed, before the click.
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => choose(choice)}
              >
                <span>{choice.name}</span>
                <span className={css.help}>{choice.about ?? choice.id}</span>
              </div>
            ))}
        </div>
      </div>
    </div>
  )
}

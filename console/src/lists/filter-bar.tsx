import { type FormEvent, useEffect, useId, useRef, useState } from 'react'
import type { Resource } from '../api/document.ts'
import { joinTerms, termOf, termsOf } from '../api/terms.ts'
import { filterFor } from '../fields/references.ts'
import { useActions } from '../parts/actions.ts'
import { Button } from '../parts/button.tsx'
import parts from '../parts/parts.module.css'
import { Window } from '../parts/window.tsx'
import { words } from '../words/words.ts'
import css from './lists.module.css'

interface FilterBarProps {
  readonly resource: Resource
  readonly filter: string
  onFilter(filter: string): void
}

/** The filter of a list: as chips, as a text to type or to paste, and a window that builds a term. */
export function FilterBar({ resource, filter, onFilter }: FilterBarProps) {
  const [text, setText] = useState(filter)
  const [isBuilding, setBuilding] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => setText(filter), [filter])
  useActions([{ title: words.list.focusFilter, keys: '/', run: () => input.current?.focus() }])
  const terms = termsOf(filter)
  if (!Object.keys(resource.filter).length) return null
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const typed = text.trim()
    // What is no filter is looked for in what names the objects.
    const searched = typed !== '' && !typed.includes('(') ? filterFor(resource, typed) : undefined
    onFilter(searched ?? typed)
  }
  return (
    <div className={css.filter}>
      <search aria-label={words.filter.label}>
        <form className={css.filterText} onSubmit={submit}>
          <input
            ref={input}
            className={parts.input}
            aria-label={words.filter.label}
            placeholder={words.filter.placeholder}
            value={text}
            onChange={({ target }) => setText(target.value)}
            spellCheck={false}
          />
          <Button type="submit">{words.filter.apply}</Button>
          <Button onClick={() => setBuilding(true)}>{words.filter.title}</Button>
        </form>
      </search>
      {terms.length > 0 && (
        <ul className={css.chips}>
          {terms.map((term, i) => (
            <li key={term}>
              <code>{term}</code>
              <button
                type="button"
                aria-label={words.filter.removeTerm(term)}
                onClick={() => onFilter(joinTerms(terms.filter((_, other) => other !== i)))}
              >
                ×
              </button>
            </li>
          ))}
        </ul>
      )}
      <Window title={words.filter.title} isOpen={isBuilding} onClose={() => setBuilding(false)}>
        <TermBuilder
          resource={resource}
          onTerm={(term) => {
            setBuilding(false)
            onFilter(joinTerms([...terms, term]))
          }}
          onClose={() => setBuilding(false)}
        />
      </Window>
    </div>
  )
}

interface TermBuilderProps {
  readonly resource: Resource
  onTerm(term: string): void
  onClose(): void
}

function TermBuilder({ resource, onTerm, onClose }: TermBuilderProps) {
  const id = useId()
  const fields = Object.keys(resource.filter)
  const [field, setField] = useState(fields.find((name) => name === 'name') ?? fields[0] ?? '')
  const [part, setPart] = useState('')
  const [operator, setOperator] = useState('')
  const [value, setValue] = useState('')
  const { operators = [], type = 'text' } = resource.filter[field] ?? {}
  const chosen = operators.includes(operator) ? operator : (operators[0] ?? '')
  const hasPart = /\*|\[\]/.test(field)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const name = hasPart ? field.replace('[]', `[${part}]`).replace('*', part) : field
    onTerm(termOf(chosen, name, value || (type === 'boolean' ? 'true' : '')))
  }
  return (
    <form onSubmit={submit} className={css.builder}>
      <label htmlFor={`${id}-field`}>{words.filter.field}</label>
      <select
        id={`${id}-field`}
        className={parts.input}
        value={field}
        onChange={({ target }) => setField(target.value)}
      >
        {fields.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      {hasPart && (
        <>
          <label htmlFor={`${id}-part`}>{field}</label>
          <input
            id={`${id}-part`}
            className={parts.input}
            value={part}
            required
            onChange={({ target }) => setPart(target.value)}
          />
        </>
      )}
      <label htmlFor={`${id}-operator`}>{words.filter.operator}</label>
      <select
        id={`${id}-operator`}
        className={parts.input}
        value={chosen}
        onChange={({ target }) => setOperator(target.value)}
      >
        {operators.map((name) => (
          <option key={name} value={name}>
            {words.filter.operators[name] ?? name}
          </option>
        ))}
      </select>
      {chosen !== 'is_null' && (
        <>
          <label htmlFor={`${id}-value`}>{words.filter.value}</label>
          {type === 'boolean' ? (
            <select
              id={`${id}-value`}
              className={parts.input}
              value={value || 'true'}
              onChange={({ target }) => setValue(target.value)}
            >
              <option value="true">{words.yes}</option>
              <option value="false">{words.no}</option>
            </select>
          ) : (
            <input
              id={`${id}-value`}
              className={parts.input}
              value={value}
              required
              inputMode={type === 'number' || type === 'integer' ? 'decimal' : 'text'}
              placeholder={type === 'time' ? '2026-01-31' : undefined}
              onChange={({ target }) => setValue(target.value)}
            />
          )}
        </>
      )}
      <div className={parts.actions}>
        <Button onClick={onClose}>{words.cancel}</Button>
        <Button look="main" type="submit">
          {words.add}
        </Button>
      </div>
    </form>
  )
}

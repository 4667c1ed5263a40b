import type { Ref } from 'react'
import type { FieldFacts } from '../api/document.ts'
import { fieldTitle, words } from '../words/words.ts'
import css from './fields.module.css'

interface EditorProps {
  readonly field: FieldFacts
  readonly id: string
  readonly value: string
  readonly fault: string | undefined
  readonly ref: Ref<HTMLInputElement & HTMLSelectElement & HTMLTextAreaElement>
  onChange(text: string): void
  onBlur(): void
}

/** Longer texts have an editor of several lines. */
const lineCharsMax = 1024

/** The editor of a value, with its name, its help and what is wrong with it. */
export function Editor({ field, id, value, fault, ref, onChange, onBlur }: EditorProps) {
  const { about, refers, example, required } = field
  const help = [about, refers && words.form.refersTo(refers)].filter(Boolean).join(' ')
  const shared = {
    ...{ id, ref, value, onBlur },
    'aria-invalid': fault !== undefined,
    'aria-describedby': `${id}-help ${id}-fault`,
    'aria-required': required ?? false,
    onChange: ({ target }: { target: { value: string } }) => onChange(target.value),
    className: css.editor,
    ...(typeof example === 'string' && { placeholder: words.form.example(example) }),
  }
  return (
    <div className={css.field}>
      <label htmlFor={id} className={css.label}>
        {fieldTitle(field.path)}
        {required && <span className={css.required}> {words.form.required}</span>}
      </label>
      <Control field={field} shared={shared} />
      <p id={`${id}-fault`} className={css.fault} aria-live="polite">
        {fault}
      </p>
      <p id={`${id}-help`} className={css.help}>
        {help}
      </p>
    </div>
  )
}

interface ControlProps {
  readonly field: FieldFacts
  readonly shared: React.ComponentProps<'input'> &
    React.ComponentProps<'select'> &
    React.ComponentProps<'textarea'>
}

function Control({ field, shared }: ControlProps) {
  const { kind, choices, secret, maxLength = 0 } = field
  if (kind === 'choice' || kind === 'boolean') {
    const { placeholder: _, ...own } = shared
    return (
      <select {...own}>
        <option value="">{words.form.none}</option>
        {(choices ?? ['true', 'false']).map((choice) => (
          <option key={choice} value={choice}>
            {kind === 'boolean' ? (choice === 'true' ? words.yes : words.no) : choice}
          </option>
        ))}
      </select>
    )
  }
  if (kind === 'json') return <textarea {...shared} rows={4} spellCheck={false} className={css.code} />
  if (
    kind === 'text' &&
    !secret &&
    maxLength > lineCharsMax &&
    /description|content|notes?$/.test(field.path)
  )
    return <textarea {...shared} rows={4} />
  const isNumber = kind === 'number' || kind === 'integer'
  return (
    <input
      {...shared}
      type={secret ? 'password' : 'text'}
      autoComplete="off"
      spellCheck={kind === 'text'}
      inputMode={isNumber ? 'decimal' : 'text'}
    />
  )
}

import type { Ref } from 'react'
import type { FieldFacts } from '../api/document.ts'
import { fieldTitle, words } from '../words/words.ts'
import { AmountsEditor } from './amounts-editor.tsx'
import css from './fields.module.css'
import { MoneyEditor } from './money-editor.tsx'
import { Picker } from './picker.tsx'
import { sourceOf } from './references.ts'
import { UploadButton } from './upload-button.tsx'
import { idsIn, withIds } from './values.ts'
import { WordsEditor } from './words-editor.tsx'

interface EditorProps {
  readonly field: FieldFacts
  readonly id: string
  readonly value: string
  readonly fault: string | undefined
  readonly ref: Ref<HTMLInputElement & HTMLSelectElement & HTMLTextAreaElement>
  /** The currency of an amount, if it is known. */
  readonly currency?: string | undefined
  /** The path of the object: what is chosen may belong to the same parent. */
  readonly near: string
  onChange(text: string): void
  onBlur(): void
}

/** Longer texts have an editor of several lines. */
const lineCharsMax = 1024

/** The editor of a value, with its name, its help and what is wrong with it. */
export function Editor(props: EditorProps) {
  const { field, id, value, fault, ref, onChange, onBlur } = props
  const { about, refers, example, required } = field
  const isTyped = refers !== undefined && !sourceOf(refers, props.near)
  const help = [about, isTyped && words.form.refersTo(refers)].filter(Boolean).join(' ')
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
      <Control {...props} shared={shared} />
      <p id={`${id}-fault`} className={css.fault} aria-live="polite">
        {fault}
      </p>
      <p id={`${id}-help`} className={css.help}>
        {help}
      </p>
    </div>
  )
}

interface ControlProps extends EditorProps {
  readonly shared: React.ComponentProps<'input'> &
    React.ComponentProps<'select'> &
    React.ComponentProps<'textarea'>
}

function Control(props: ControlProps) {
  const { field, shared, value, currency, onChange } = props
  const { kind, choices, secret, maxLength = 0 } = field
  if (kind === 'money') return <MoneyEditor {...{ value, currency, shared, onChange }} />
  if (kind === 'amounts') return <AmountsEditor {...{ value, shared, onChange }} />
  if (kind === 'words') return <WordsEditor {...{ value, shared, onChange }} />
  if (kind === 'reference' || kind === 'references') return <ReferenceControl {...props} />
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

/** A picker, or the id itself where the objects have no list. */
function ReferenceControl({ field, shared, value, near, onChange }: ControlProps) {
  const { kind, refers = '' } = field
  const source = sourceOf(refers, near)
  const isMany = kind === 'references'
  if (!source)
    return isMany ? (
      <textarea {...shared} rows={4} spellCheck={false} className={css.code} />
    ) : (
      <input {...shared} type="text" autoComplete="off" spellCheck={false} />
    )
  const list: unknown = isMany && value !== '' ? JSON.parse(value) : []
  const ids = isMany ? idsIn(list) : value === '' ? [] : [value]
  const choose = (next: readonly string[]) =>
    onChange(isMany ? JSON.stringify(withIds(field, list, next)) : (next[0] ?? ''))
  const { create } = source.resource
  return (
    <>
      <Picker {...{ source, ids, isMany, shared }} onChange={choose} />
      {create?.isUpload && (
        <UploadButton write={create} onUploaded={(id) => choose(isMany ? [...ids, id] : [id])} />
      )}
    </>
  )
}

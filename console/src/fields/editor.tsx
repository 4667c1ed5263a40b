import type { Ref } from 'react'
import type { FieldFacts } from '../api/document.ts'
import { valueAt } from '../api/objects.ts'
import { choiceLabel } from '../words/labels.ts'
import { words } from '../words/words.ts'
import { AmountsEditor } from './amounts-editor.tsx'
import { ChoicesEditor } from './choices-editor.tsx'
import css from './fields.module.css'
import { helpOf } from './help.ts'
import { MapEditor } from './map-editor.tsx'
import { MoneyEditor } from './money-editor.tsx'
import { fieldTitle } from './names.ts'
import { ObjectsEditor } from './objects-editor.tsx'
import { Picker, Search } from './picker.tsx'
import { sourceOf } from './references.ts'
import { UploadButton } from './upload-button.tsx'
import { chosenIn, textWithIds } from './values.ts'
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
  const { refers, example, required } = field
  const isTyped = refers !== undefined && !sourceOf(refers, props.near)
  const help = [helpOf(field), isTyped && words.form.refersTo(refers)].filter(Boolean).join(' ')
  const shared = {
    ...{ id, ref, value, onBlur },
    'aria-invalid': fault !== undefined,
    'aria-describedby': `${id}-help ${id}-fault`,
    'aria-required': required ?? false,
    onChange: ({ target }: { target: { value: string } }) => onChange(target.value),
    className: css.editor,
    ...(typeof example === 'string' && { placeholder: words.form.example(example) }),
  }
  const title = (
    <>
      {fieldTitle(field)}
      {required && <span className={css.required}> {words.form.required}</span>}
    </>
  )
  const below = (
    <>
      <p id={`${id}-fault`} className={css.fault} aria-live="polite">
        {fault}
      </p>
      <p id={`${id}-help`} className={css.help}>
        {help}
      </p>
    </>
  )
  // What has inputs of its own is a group with a name.
  return isGroup(field) ? (
    <fieldset className={css.field} aria-describedby={`${id}-help ${id}-fault`}>
      <legend className={css.label}>{title}</legend>
      <Control {...props} shared={shared} />
      {below}
    </fieldset>
  ) : (
    <div className={css.field}>
      <label htmlFor={id} className={css.label}>
        {title}
      </label>
      <Control {...props} shared={shared} />
      {below}
    </div>
  )
}

const isGroup = ({ kind, choices }: FieldFacts): boolean =>
  kind === 'objects' || kind === 'map' || (kind === 'words' && choices !== undefined)

interface ControlProps extends EditorProps {
  readonly shared: React.ComponentProps<'input'> &
    React.ComponentProps<'select'> &
    React.ComponentProps<'textarea'>
}

function Control(props: ControlProps) {
  const { field, shared, value, currency, onChange } = props
  const { kind, choices, secret, maxLength = 0, default: usual } = field
  if (kind === 'money') return <MoneyEditor {...{ value, currency, shared, onChange }} />
  if (kind === 'amounts') return <AmountsEditor {...{ value, shared, onChange }} />
  if (kind === 'objects' || kind === 'map') return <InsideControl {...props} />
  if (kind === 'words' && choices)
    return <ChoicesEditor {...{ choices, value, onChange }} onBlur={props.onBlur} />
  if (kind === 'words') return <WordsEditor {...{ value, shared, onChange }} />
  if (kind === 'reference' || kind === 'references') return <ReferenceControl {...props} />
  if (kind === 'choice' || kind === 'boolean') {
    const { placeholder: _, ...own } = shared
    return (
      <select {...own}>
        <option value="">
          {usual === undefined || usual === null ? words.form.none : words.form.usual(choiceText(usual))}
        </option>
        {(choices ?? ['true', 'false']).map((choice) => (
          <option key={choice} value={choice}>
            {choiceText(kind === 'boolean' ? choice === 'true' : choice)}
          </option>
        ))}
      </select>
    )
  }
  if (field.keyOf) return <KeyControl {...props} />
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

const choiceText = (choice: unknown): string =>
  typeof choice === 'boolean' ? (choice ? words.yes : words.no) : choiceLabel(String(choice))

/** Both hold editors again, so they come after these. */
const InsideControl = (props: ControlProps) =>
  props.field.kind === 'map' ? <MapEditor {...props} /> : <ObjectsEditor {...props} />

/** A picker, or the id itself where the objects have no list. */
function ReferenceControl({ field, shared, value, near, onChange }: ControlProps) {
  const { kind, refers = '', linkType } = field
  const found = sourceOf(refers, near)
  // Shoppers see only what is published, and what is chosen here need not be.
  const source = found?.listPath.startsWith('/catalog/') ? undefined : found
  const isMany = kind === 'references'
  if (!source && isMany && linkType === undefined) return <WordsEditor {...{ value, shared, onChange }} />
  if (!source)
    return isMany ? (
      <textarea {...shared} rows={4} spellCheck={false} className={css.code} />
    ) : (
      <input {...shared} type="text" autoComplete="off" spellCheck={false} />
    )
  const chosen = chosenIn(field, value)
  const change = (ids: readonly string[], typed: string) => onChange(textWithIds(field, value, ids, typed))
  const { create } = source.resource
  return (
    <>
      <Picker {...{ source, isMany, shared, ...chosen }} onChange={change} />
      {create?.isUpload && (
        <UploadButton
          write={create}
          onUploaded={(id) => change(isMany ? [...chosen.ids, id] : [id], chosen.typed)}
        />
      )}
    </>
  )
}

/** A text that names an object, such as a SKU: it may be chosen, and also be one that is not there yet. */
function KeyControl({ field, shared, value, near, onChange }: ControlProps) {
  const source = field.keyOf && sourceOf(field.keyOf.type, near)
  if (!field.keyOf || !source) return <input {...shared} type="text" autoComplete="off" spellCheck={false} />
  const { path } = field.keyOf
  return (
    <Search
      {...{ source, shared }}
      text={value}
      onText={onChange}
      onChoose={({ item }) => onChange(String(valueAt(item, path) ?? ''))}
    />
  )
}

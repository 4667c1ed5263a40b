import type { FieldFacts } from '../api/document.ts'
import { isItem, valueAt, withValue } from '../api/objects.ts'
import { Button } from '../parts/button.tsx'
import { words } from '../words/words.ts'
import { Editor } from './editor.tsx'
import css from './fields.module.css'
import { faultOf, readText, textOf } from './values.ts'

export interface InsideProps {
  readonly id: string
  readonly field: FieldFacts
  /** The list or the map, as JSON. */
  readonly value: string
  readonly near: string
  onChange(text: string): void
  onBlur(): void
}

/** A list of objects: each has the fields that the document describes. */
export function ObjectsEditor({ id, field, value, near, onChange, onBlur }: InsideProps) {
  const rows = rowsIn(value)
  const set = (next: readonly unknown[]) => onChange(next.length ? JSON.stringify(next) : '')
  return (
    <div className={css.lines}>
      {rows.map((row, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the objects of a list have no other name.
        <fieldset key={i} className={css.part}>
          <legend>{words.fields.part(i + 1)}</legend>
          <InsideFields
            {...{ field, near, onBlur }}
            id={`${id}/${i}`}
            value={row}
            onChange={(next) => set(rows.with(i, next))}
          />
          <Button
            aria-label={words.fields.removePart(i + 1)}
            onClick={() => set(rows.filter((_, other) => other !== i))}
          >
            {words.fields.remove}
          </Button>
        </fieldset>
      ))}
      <p>
        <Button onClick={() => set([...rows, {}])}>{words.fields.add}</Button>
      </p>
    </div>
  )
}

interface InsideFieldsProps extends Pick<InsideProps, 'id' | 'field' | 'near' | 'onBlur'> {
  readonly value: unknown
  onChange(value: unknown): void
}

/** The editors of one object of a list, or of one value of a map. */
export function InsideFields({ id, field, value, near, onChange, onBlur }: InsideFieldsProps) {
  return (field.inside ?? []).map((one) => {
    const inner = one.path === '' ? value : valueAt(value, one.path)
    const text = typeof inner === 'string' ? inner : textOf(one, inner)
    const currency = one.currencyAt ? valueAt(value, one.currencyAt) : undefined
    return (
      <Editor
        key={one.path}
        field={one.path === '' ? { ...one, path: words.filter.value } : one}
        id={`${id}/${one.path}`}
        value={text}
        fault={text === '' ? undefined : faultOf(one, text)}
        currency={typeof currency === 'string' ? currency : undefined}
        {...{ near, onBlur }}
        ref={null}
        onChange={(next) => {
          // What is not right yet stays as it was typed.
          const read = faultOf(one, next) === undefined ? readText(one, next) : next || undefined
          onChange(one.path === '' ? read : withValue(isItem(value) ? value : {}, one.path, read))
        }}
      />
    )
  })
}

function rowsIn(value: string): readonly unknown[] {
  const rows: unknown = value === '' ? [] : JSON.parse(value)
  return Array.isArray(rows) ? rows : []
}

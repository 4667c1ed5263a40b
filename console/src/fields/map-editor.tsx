import { useState } from 'react'
import { isItem } from '../api/objects.ts'
import { Button } from '../parts/button.tsx'
import { words } from '../words/words.ts'
import css from './fields.module.css'
import { InsideFields, type InsideProps } from './objects-editor.tsx'

type Entry = readonly [name: string, value: unknown]

/** Values by names that are free. */
export function MapEditor({ id, field, value, near, onChange, onBlur }: InsideProps) {
  // A name that is not whole yet may be empty, or that of another value, which an object cannot hold.
  const [typed, setTyped] = useState<{ readonly text: string; readonly entries: readonly Entry[] }>()
  const entries = typed?.text === value ? typed.entries : entriesIn(value)
  const set = (next: readonly Entry[]) => {
    const named = next.filter(([name]) => name !== '')
    const text = named.length ? JSON.stringify(Object.fromEntries(named)) : ''
    setTyped({ text, entries: next })
    onChange(text)
  }
  const isSimple = field.inside?.length === 1 && field.inside[0]?.path === ''
  return (
    <div className={css.lines}>
      {entries.map(([name, one], i) => {
        const isTwice = name !== '' && entries.some(([other], at) => at < i && other === name)
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the name may be typed just now.
          <fieldset key={i} className={isSimple ? css.pair : css.part}>
            <legend className={isSimple ? 'readersOnly' : undefined}>
              {name || words.fields.part(i + 1)}
            </legend>
            <div className={css.field}>
              <label className={css.label} htmlFor={`${id}/${i}/name`}>
                {words.fields.name}
              </label>
              <input
                id={`${id}/${i}/name`}
                className={css.editor}
                value={name}
                autoComplete="off"
                spellCheck={false}
                aria-invalid={isTwice}
                onBlur={onBlur}
                onChange={({ target }) => set(entries.with(i, [target.value, one]))}
              />
              {isTwice && <p className={css.fault}>{words.fields.twice}</p>}
            </div>
            <InsideFields
              {...{ field, near, onBlur }}
              id={`${id}/${i}`}
              value={one}
              onChange={(next) => set(entries.with(i, [name, next]))}
            />
            <Button
              aria-label={words.fields.removePart(name || i + 1)}
              onClick={() => set(entries.filter((_, other) => other !== i))}
            >
              {isSimple ? '✕' : words.fields.remove}
            </Button>
          </fieldset>
        )
      })}
      <p>
        <Button onClick={() => set([...entries, ['', isSimple ? '' : {}]])}>{words.fields.add}</Button>
      </p>
    </div>
  )
}

function entriesIn(value: string): readonly Entry[] {
  const map: unknown = value === '' ? {} : JSON.parse(value)
  return isItem(map) ? Object.entries(map) : []
}

import { useId, useState } from 'react'
import css from './fields.module.css'
import { Search } from './picker.tsx'
import type { Choice, Source } from './references.ts'

interface ObjectSearchProps {
  readonly label: string
  readonly source: Source
  onChoose(choice: Choice): void
}

/** Asks for one object of a list. */
export function ObjectSearch({ label, source, onChoose }: ObjectSearchProps) {
  const id = useId()
  const [text, setText] = useState('')
  return (
    <div className={css.field}>
      <label htmlFor={id} className={css.label}>
        {label}
      </label>
      <Search
        {...{ source, text }}
        shared={{ id, className: css.editor }}
        onText={setText}
        onChoose={(choice) => {
          setText(choice.name)
          onChoose(choice)
        }}
      />
    </div>
  )
}

import { choiceLabel } from '../words/labels.ts'
import css from './fields.module.css'

interface ChoicesEditorProps {
  readonly choices: readonly string[]
  /** Those that are chosen, as JSON. */
  readonly value: string
  onChange(text: string): void
  onBlur(): void
}

/** Several of a few words. */
export function ChoicesEditor({ choices, value, onChange, onBlur }: ChoicesEditorProps) {
  const list: unknown = value === '' ? [] : JSON.parse(value)
  const chosen: readonly unknown[] = Array.isArray(list) ? list : []
  return (
    <div className={css.amounts}>
      {choices.map((choice) => (
        <label key={choice}>
          <input
            type="checkbox"
            checked={chosen.includes(choice)}
            onBlur={onBlur}
            onChange={({ target }) =>
              onChange(
                JSON.stringify(target.checked ? [...chosen, choice] : chosen.filter((one) => one !== choice)),
              )
            }
          />{' '}
          {choiceLabel(choice)}
        </label>
      ))}
    </div>
  )
}

import { useId } from 'react'
import parts from '../../parts/parts.module.css'
import { screenWords } from '../../words/words.ts'
import css from './custom-apis.module.css'
import { elementTypes, fixedRules, kindOfRule, type RuleName } from './field-rules.ts'

interface RuleInputProps {
  readonly rule: RuleName
  readonly value: unknown
  /** The field is there already: some rules cannot be changed then. */
  readonly isOld: boolean
  onChange(value: unknown): void
}

export function RuleInput({ rule, value, isOld, onChange }: RuleInputProps) {
  const id = useId()
  const { rules, window: texts } = screenWords.customApis
  const isFixed = isOld && fixedRules.includes(rule)
  const about = isFixed ? { disabled: true, title: texts.fixed } : {}
  const kind = kindOfRule(rule)
  if (kind === 'flag')
    return (
      <label className={css.flag}>
        <input
          type="checkbox"
          {...about}
          checked={rule === 'unique' ? value === 'yes' : value === true}
          onChange={({ target: { checked } }) =>
            onChange(rule === 'unique' ? (checked ? 'yes' : 'no') : checked)
          }
        />
        {rules[rule]}
      </label>
    )
  return (
    <label htmlFor={id}>
      {rules[rule]}
      {kind === 'element' ? (
        <select
          id={id}
          className={parts.input}
          {...about}
          value={String(value ?? 'any')}
          onChange={({ target }) => onChange(target.value)}
        >
          {elementTypes.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      ) : (
        <input
          id={id}
          className={parts.input}
          autoComplete="off"
          inputMode={kind === 'number' ? 'decimal' : 'text'}
          value={String(value ?? '')}
          onChange={({ target }) =>
            onChange(kind === 'number' ? numberOf(target.value) : target.value || null)
          }
        />
      )}
    </label>
  )
}

/** What is no number yet is sent as it is, and the server says what is wrong with it. */
const numberOf = (text: string): unknown =>
  text.trim() === '' ? null : /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text

import { useId } from 'react'
import { type Item, isItem } from '../api/objects.ts'
import { Button } from '../parts/button.tsx'
import parts from '../parts/parts.module.css'
import { words } from '../words/words.ts'
import { useCurrencies } from './currencies.ts'
import css from './fields.module.css'
import { MoneyEditor } from './money-editor.tsx'

interface AmountsEditorProps {
  /** An object with an amount for each currency, as JSON. */
  readonly value: string
  readonly shared: Omit<React.ComponentProps<'input'>, 'value' | 'onChange'>
  onChange(text: string): void
}

/** Amounts in several currencies, one a line. What else belongs to each, such as its tiers, stays as it is. */
export function AmountsEditor({ value, shared, onChange }: AmountsEditorProps) {
  const id = useId()
  const known = useCurrencies()
  const amounts = readAmounts(value)
  const set = (currency: string, change: Item | undefined) => {
    const { [currency]: before, ...others } = amounts
    const next = change
      ? { ...amounts, [currency]: { ...(isItem(before) ? before : {}), ...change } }
      : others
    onChange(JSON.stringify(next))
  }
  const free = [...(known?.keys() ?? [])].filter((code) => !Object.hasOwn(amounts, code))
  return (
    <fieldset className={css.lines} aria-describedby={shared['aria-describedby']}>
      <legend className="readersOnly">{words.money.amounts}</legend>
      {Object.entries(amounts).map(([currency, one]) => {
        const { amount, includes_tax } = isItem(one) ? one : {}
        return (
          <div key={currency} className={css.amount}>
            <MoneyEditor
              value={amount === undefined ? '' : String(amount)}
              currency={currency}
              shared={{
                ...{
                  className: css.editor,
                  'aria-label': words.money.amountIn(currency),
                  autoComplete: 'off',
                },
                ...{ onBlur: shared.onBlur, 'aria-invalid': shared['aria-invalid'] },
              }}
              onChange={(text) => set(currency, { amount: /^-?\d+$/.test(text) ? Number(text) : text })}
            />
            <label className={parts.row}>
              <input
                type="checkbox"
                checked={includes_tax === true}
                onChange={({ target }) => set(currency, { includes_tax: target.checked })}
              />
              {words.money.includesTax}
            </label>
            <Button aria-label={words.money.remove(currency)} onClick={() => set(currency, undefined)}>
              ✕
            </Button>
          </div>
        )
      })}
      {free.length > 0 && (
        <div className={parts.row}>
          <label htmlFor={`${id}-add`}>{words.money.add}</label>
          <select
            id={`${id}-add`}
            className={parts.input}
            value=""
            onChange={({ target }) => set(target.value, { amount: '' })}
          >
            <option value="">{words.form.none}</option>
            {free.map((code) => (
              <option key={code}>{code}</option>
            ))}
          </select>
        </div>
      )}
    </fieldset>
  )
}

function readAmounts(value: string): Item {
  const amounts: unknown = value === '' ? {} : JSON.parse(value)
  return isItem(amounts) ? amounts : {}
}

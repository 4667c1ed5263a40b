import { useState } from 'react'
import { words } from '../words/words.ts'
import { decimalOf, digitsOf, minorOf, useCurrencies } from './currencies.ts'
import css from './fields.module.css'

interface MoneyEditorProps {
  /** The amount in the smallest unit, or what was typed if that is no amount. */
  readonly value: string
  /** The code of the currency; undefined if it is not known. */
  readonly currency: string | undefined
  readonly shared: Omit<React.ComponentProps<'input'>, 'value' | 'onChange'>
  onChange(text: string): void
}

/** An amount that is typed in the main unit of its currency, which stands beside it. */
export function MoneyEditor({ value, currency, shared, onChange }: MoneyEditorProps) {
  const known = useCurrencies()
  const [typed, setTyped] = useState<string>()
  const digits = currency && known ? digitsOf(known, currency) : undefined
  if (digits === undefined)
    return (
      <div className={css.money}>
        <input
          {...shared}
          value={value}
          inputMode="numeric"
          onChange={({ target }) => onChange(target.value)}
        />
        <span className={css.currency}>{words.money.smallestUnit}</span>
      </div>
    )
  const shown = /^-?\d+$/.test(value) ? decimalOf(value, digits) : value
  const isSame = typed !== undefined && (minorOf(typed, digits) ?? typed) === value
  return (
    <div className={css.money}>
      <input
        {...shared}
        value={isSame ? typed : shown}
        inputMode="decimal"
        placeholder={decimalOf('0', digits)}
        onChange={({ target }) => {
          setTyped(target.value)
          onChange(minorOf(target.value, digits) ?? notWhole(target.value))
        }}
        onBlur={(event) => {
          setTyped(undefined)
          shared.onBlur?.(event)
        }}
      />
      <span className={css.currency}>{currency}</span>
    </div>
  )
}

/** What is no amount must not be read as one in the smallest unit. */
const notWhole = (typed: string): string => (/^-?\d+$/.test(typed) ? `${typed} ` : typed)

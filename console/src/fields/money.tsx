import { isItem } from '../api/objects.ts'
import { words } from '../words/words.ts'
import { digitsOf, moneyText, useCurrencies } from './currencies.ts'
import css from './fields.module.css'

interface MoneyProps {
  readonly amount: number
  readonly currency: string
}

/** An amount in the main unit of its currency. */
export function Money({ amount, currency }: MoneyProps) {
  const digits = useCurrencies()
  if (!digits) return <span className={css.none}>…</span>
  return <bdi className={css.number}>{moneyText(amount, currency, digitsOf(digits, currency))}</bdi>
}

/** An amount with its currency, as the API writes it. */
export const isMoney = (value: unknown): value is MoneyProps =>
  isItem(value) && Number.isSafeInteger(value.amount) && typeof value.currency === 'string'

/** Amounts by the code of their currency; undefined if the value is anything else. */
export function amountsIn(value: unknown): readonly MoneyProps[] | undefined {
  if (Array.isArray(value)) return value.length && value.every(isMoney) ? value : undefined
  if (!isItem(value)) return undefined
  const amounts = Object.entries(value).map(([currency, one]) => ({ ...(isItem(one) ? one : {}), currency }))
  return amounts.length && amounts.every((one) => /^[A-Z]{3}$/.test(one.currency) && isMoney(one))
    ? (amounts as unknown as readonly MoneyProps[])
    : undefined
}

/** Several amounts, one a currency. */
export const Amounts = ({ amounts }: { readonly amounts: readonly MoneyProps[] }) => (
  <ul className={css.amounts} aria-label={words.money.amounts}>
    {amounts.map(({ amount, currency }) => (
      <li key={currency}>
        <Money {...{ amount, currency }} />
      </li>
    ))}
  </ul>
)

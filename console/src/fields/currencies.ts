import { useQuery } from '@tanstack/react-query'
import { send } from '../api/client.ts'
import { pageIn } from '../api/objects.ts'
import { words } from '../words/words.ts'

/** How many digits the amounts of a currency have after the point, by its code. */
export type Digits = ReadonlyMap<string, number>

/** The currencies of the store; undefined until they are read. Who may not read them has those that the browser knows. */
export function useCurrencies(): Digits | undefined {
  const { data } = useQuery({
    queryKey: ['currencies'],
    queryFn: async ({ signal }): Promise<Digits> => {
      try {
        const { body } = await send({ path: '/v2/currencies?page[limit]=100', signal })
        return new Map(
          pageIn(body).rows.map(({ code, decimal_places }) => [String(code), Number(decimal_places)]),
        )
      } catch {
        return new Map()
      }
    },
    staleTime: 60_000,
  })
  return data
}

export const digitsOf = (digits: Digits, currency: string): number =>
  digits.get(currency) ?? knownDigits(currency)

function knownDigits(currency: string): number {
  try {
    const format = new Intl.NumberFormat('en', { style: 'currency', currency })
    return format.resolvedOptions().maximumFractionDigits ?? 2
  } catch {
    return 2
  }
}

/** An amount in the main unit of its currency, as it is typed: 1250 with two digits is `12.50`. No float is between. */
export function decimalOf(minor: string, digits: number): string {
  const sign = minor.startsWith('-') ? '-' : ''
  const units = minor.slice(sign.length).padStart(digits + 1, '0')
  return digits === 0
    ? minor
    : `${sign}${units.slice(0, -digits)}${words.decimalPoint}${units.slice(-digits)}`
}

/** What was typed in the smallest unit; undefined if it is no amount of the currency. */
export function minorOf(typed: string, digits: number): string | undefined {
  const [whole = '', part, ...more] = typed.replaceAll(/\s/g, '').split(words.decimalPoint)
  if (more.length || !/^-?\d+$/.test(whole) || !/^\d*$/.test(part ?? '')) return undefined
  if ((part ?? '').length > digits) return undefined
  const sign = whole.startsWith('-') ? '-' : ''
  const units = (whole.slice(sign.length) + (part ?? '').padEnd(digits, '0')).replace(/^0+(?=\d)/, '')
  return Number.isSafeInteger(Number(units)) ? (units === '0' ? units : sign + units) : undefined
}

/** An amount as people read it: `1,012.50 USD`. */
export function moneyText(minor: number, currency: string, digits: number): string {
  const [whole = '', part] = decimalOf(String(minor), digits).split(words.decimalPoint)
  const grouped = whole.replaceAll(/(?<=\d)(?=(\d{3})+$)/g, words.thousandsSeparator)
  return `${grouped}${part === undefined ? '' : words.decimalPoint + part} ${currency}`
}

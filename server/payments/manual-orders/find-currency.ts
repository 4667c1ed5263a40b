import { isObject } from '../../kernel/body/input.ts'
import { Problem } from '../../kernel/errors.ts'
import type { Work } from '../../kernel/work/context.ts'
import { currencies, type Notation } from '../../store/index.ts'

/** The currency that all amounts of a request name; that of the store if they name none. */
export async function findCurrency({ store }: Work, ...parts: readonly unknown[]): Promise<Notation> {
  const named = parts.flatMap((part) => [...codesIn(part)])
  const [code] = named
  const other = named.find((one) => one !== code)
  if (other !== undefined) {
    const detail = `All amounts of an order are in one currency, not in ${code} and ${other}.`
    throw new Problem('invalid_field', detail, { source: 'data.meta.display_price' })
  }
  const rows = await store.read('SELECT id FROM currencies WHERE store_id = $1 ORDER BY created_at, id')
  const all = (await Promise.all(rows.map(([id]) => store.find(currencies, id as string)))).flatMap(
    (row) => row?.doc ?? [],
  )
  const found = all.find((one) => (code === undefined ? one.default : one.code === code))
  if (found) return found
  const detail = `${code} is not a currency of the store. It has ${all.map((one) => one.code).join(', ')}.`
  throw new Problem('invalid_field', detail, { source: 'data.meta.display_price' })
}

/** The codes in the members `currency` of a value, at any depth. */
function* codesIn(value: unknown): Generator<string> {
  if (Array.isArray(value)) for (const one of value) yield* codesIn(one)
  if (!isObject(value)) return
  for (const [name, one] of Object.entries(value)) {
    if (name === 'currency' && typeof one === 'string') yield one.toUpperCase()
    else yield* codesIn(one)
  }
}

import { Problem } from '../../kernel/errors.ts'
import type { Work } from '../../kernel/work/context.ts'

/** Refuses codes of currencies that the store does not have. `named` has the position of each code. */
export async function mustBeCurrencies(
  { store }: Work,
  named: readonly (readonly [source: string, code: string])[],
): Promise<void> {
  if (!named.length) return
  const rows = await store.read("SELECT doc->>'code' FROM currencies WHERE store_id = $1 ORDER BY 1")
  const codes = rows.map(([code]) => code as string)
  const unknown = named.find(([, code]) => !codes.includes(code))
  if (!unknown) return
  const [source, code] = unknown
  const detail = `${source} must be a currency of the store (${codes.join(', ')}), not ${code}.`
  throw new Problem('unprocessable', detail, { source })
}

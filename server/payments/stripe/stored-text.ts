const most = 1000

/** A text of Stripe's that can be stored; undefined if it is no text, or an empty one. */
export function storedText(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  return value.replaceAll('\0', '').slice(0, most).toWellFormed() || undefined
}

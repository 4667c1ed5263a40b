/** The server counts so many parts of a factor. */
const parts = 1_000_000

/** A factor, or the one that a percentage makes: `-12.5` is 0.875; undefined for what is no number. */
export function factorOf(text: string, isPercent: boolean): number | undefined {
  const typed = text.trim()
  if (!/^[+-]?\d+(\.\d+)?$/.test(typed)) return undefined
  const factor = isPercent ? 1 + Number(typed) / 100 : Number(typed)
  return Math.round(factor * parts) / parts
}

/** LIKE patterns of filters: `%` at the start or the end, everything else escaped. */

/** The fixed beginning of a pattern, and whether more may follow; undefined if the pattern begins with `%`. */
export function beginningOf(pattern: string): { text: string; open: boolean } | undefined {
  if (pattern.startsWith('%')) return undefined
  const open = /(?:^|[^\\])(?:\\\\)*%$/.test(pattern)
  return { text: (open ? pattern.slice(0, -1) : pattern).replace(/\\(.)/gs, '$1'), open }
}

const greatest = 0x10ffff

/** The first text after all texts with this beginning, in byte order; undefined if there is none. */
export function behindAll(text: string): string | undefined {
  const characters = [...text]
  while (characters.length > 0) {
    const last = characters.pop()?.codePointAt(0) as number
    if (last === greatest) continue
    // Skip the surrogates, which are not characters.
    const next = last === 0xd7ff ? 0xe000 : last + 1
    return characters.join('') + String.fromCodePoint(next)
  }
  return undefined
}

/** LIKE patterns as filters make them: `%` at the start or the end, all else escaped. */

/** The text that a pattern begins with, and whether more may follow; undefined where anything may stand before it. */
export function beginningOf(pattern: string): { text: string; open: boolean } | undefined {
  if (pattern.startsWith('%')) return undefined
  const open = /(?:^|[^\\])(?:\\\\)*%$/.test(pattern)
  return { text: (open ? pattern.slice(0, -1) : pattern).replace(/\\(.)/gs, '$1'), open }
}

const greatest = 0x10ffff

/** The first text behind all that begin with this one, in the order of bytes; undefined where there is none. */
export function behindAll(text: string): string | undefined {
  const characters = [...text]
  while (characters.length > 0) {
    const last = characters.pop()?.codePointAt(0) as number
    if (last === greatest) continue
    // Half a surrogate pair is no character.
    const next = last === 0xd7ff ? 0xe000 : last + 1
    return characters.join('') + String.fromCodePoint(next)
  }
  return undefined
}

/** One class of characters for a whole text: `^[a-z]+$`, `^[A-Z]{3}$`, `^[^\s,]+$`, `^[^\p{Cc}]*$`. */
const oneClass = /^\^\[(\^?)([^\][]+)\]([+*]|\{\d+\})\$$/
const member = /\\p\{Cc\}|([^\\])-([^\\])|\\?(.)/gs
/** `\d`, `\p{L}`: classes that have no usual name. */
const otherClass = /\\(?!p\{Cc\})[^\W_s]/
const classNames: Readonly<Record<string, string>> = {
  '\\s': 'white space',
  '\\p{Cc}': 'control characters',
}

/**
 * Describes a pattern, to follow "must" in a message. A single class of characters is put in words; any other pattern
 * is quoted.
 */
export function patternWords(pattern: string): string {
  const [, not, members = '', times = ''] = oneClass.exec(pattern) ?? []
  if (not === undefined || otherClass.test(members)) return `match ${pattern}`
  const names = [...members.matchAll(member)].map(([whole, from, to, character]) =>
    from ? `${from} to ${to}` : (classNames[whole] ?? JSON.stringify(character)),
  )
  const last = names.pop()
  const listed = names.length ? `${names.join(', ')} ${not ? 'or' : 'and'} ${last}` : last
  if (not) return `not contain ${listed}`
  return times === '+' || times === '*'
    ? `contain only ${listed}`
    : `be ${times.slice(1, -1)} characters of ${listed}`
}

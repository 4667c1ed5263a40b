/**
 * The texts that a pattern matches, in an order: of `^[A-Z]{3}$` the first is AAA, then come AAB and AAC. They are as
 * short as they can be while there are enough of them.
 */

/** What stands at one place of a pattern: one of some characters, or a group, so often. */
type Part =
  | { readonly characters: readonly string[]; readonly most: number; times: number }
  | { readonly group: Part[]; readonly most: number; times: number }

/** In the order in which they are tried: letters and digits before what may mean something somewhere. */
const printable = [
  ...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.',
  ...Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)),
]

/** The characters of a class, each in one case only: texts that differ may be stored as the same capitals. */
function matching(characterClass: string): string[] {
  const one = new RegExp(`^(?:${characterClass})$`, 'u')
  const all = new Set([...printable].filter((character) => one.test(character)))
  return [...all].filter((character) => !/[a-z]/.test(character) || !all.has(character.toUpperCase()))
}

/** Enough that no test runs out of them, where the pattern has as many. */
const enough = 1_000_000

/** How many texts of these lengths the pattern matches, as far as they are made here, and the one at a place. */
export interface Texts {
  readonly count: number
  at(place: number): string
}

/** The texts that match `pattern`, a JavaScript regular expression with the flag `u`, and have such a length. */
export function textsMatching(pattern: string, { min = 0, max = 65_535 } = {}): Texts {
  const parts = partsOf(pattern)
  while (lengthOf(parts) < min || countOf(parts) < enough) {
    const room = max - lengthOf(parts)
    const part = longest(parts, room)
    if (!part) break
    part.times += 1
  }
  const count = Math.min(countOf(parts), Number.MAX_SAFE_INTEGER)
  const whole = new RegExp(pattern, 'u')
  return {
    count,
    at(place) {
      const text = write(parts, { left: place % count })
      if (whole.test(text) && text.length >= min && text.length <= max) return text
      throw new Error(`No text of ${min} to ${max} characters is made up for ${pattern}: ${text} is none`)
    },
  }
}

/** The part that may stand once more in `room` characters: the first that adds to the count, else any. */
function longest(parts: readonly Part[], room: number): Part | undefined {
  const inside = parts.flatMap((part) =>
    'group' in part && part.times > 0 ? [longest(part.group, room)] : [],
  )
  const may = [...parts, ...inside].filter(
    (part) => part && part.times < part.most && lengthOf([{ ...part, times: 1 }]) <= room,
  )
  return may.find((part) => part && countOf([{ ...part, times: 1 }]) > 1) ?? may[0]
}

const lengthOf = (parts: readonly Part[]): number =>
  parts.reduce((sum, part) => sum + part.times * ('group' in part ? lengthOf(part.group) : 1), 0)

const countOf = (parts: readonly Part[]): number =>
  parts.reduce(
    (product, part) =>
      product * ('group' in part ? countOf(part.group) : part.characters.length) ** part.times,
    1,
  )

/** Each place is a digit, the last one the lowest; what is `left` of the number is for the places before. */
function write(parts: readonly Part[], number: { left: number }): string {
  let text = ''
  for (const part of parts.toReversed()) {
    for (let time = 0; time < part.times; time++) {
      if ('group' in part) text = write(part.group, number) + text
      else {
        const { characters } = part
        text = characters[number.left % characters.length] + text
        number.left = Math.floor(number.left / characters.length)
      }
    }
  }
  return text
}

/** A group's bracket, a bar, an anchor, a class, an escape or a character; and how often it stands there. */
const token =
  /(\((?:\?:)?|\)|\||\^|\$|\[(?:\\.|[^\]\\])*\]|\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\.|[^\\])([*+?]|\{\d+(?:,\d*)?\})?/gsu

function partsOf(pattern: string): Part[] {
  const tokens = [...pattern.matchAll(token)]
  // What is not held at its end may go on.
  const open = !pattern.endsWith('$')
  const parts = sequence(tokens)
  if (tokens.length > 0) throw new Error(`The pattern ${pattern} is not understood`)
  if (!open) return parts
  return [...parts, { characters: matching('[a-z0-9]'), most: 65_535, times: 0 }]
}

/** Reads up to the bracket that ends the group. Of what a bar divides the first that is not empty is taken. */
function sequence(tokens: RegExpMatchArray[]): Part[] {
  const branches: Part[][] = [[]]
  for (let next = tokens.shift(); next; next = tokens.shift()) {
    const [, what = '', often] = next
    if (what === ')') {
      tokens.unshift(next)
      break
    }
    if (what === '^' || what === '$') continue
    if (what === '|') branches.push([])
    else branches.at(-1)?.push(partOf(what, often, tokens))
  }
  return branches.find((branch) => branch.length > 0) ?? []
}

function partOf(what: string, often: string | undefined, tokens: RegExpMatchArray[]): Part {
  if (!what.startsWith('(')) {
    const [times, most] = timesOf(often)
    return { characters: matching(what), most, times }
  }
  const group = sequence(tokens)
  const end = tokens.shift()
  const [times, most] = timesOf(end?.[2])
  return { group, most, times }
}

function timesOf(often: string | undefined): [least: number, most: number] {
  if (often === undefined) return [1, 1]
  if (often === '*') return [0, 65_535]
  if (often === '+') return [1, 65_535]
  if (often === '?') return [0, 1]
  const [least = '0', most] = often.slice(1, -1).split(',')
  return [Number(least), most === undefined ? Number(least) : Number(most || 65_535)]
}

/** Longer words are cut. */
const lengthMax = 64

/** Letters that Unicode does not decompose, and how they are written on other keyboards. */
const plainLetters: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
}
const notPlain = new RegExp(`[${Object.keys(plainLetters).join('')}]`, 'g')

/** Folds a text for searches: removes case, accents and other variants of a letter. */
export const foldText = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(notPlain, (letter) => plainLetters[letter] as string)

const word = /[\p{L}\p{N}\p{M}]+/gu

/** The folded words of a text. */
export const wordsOf = (text: string): readonly string[] =>
  chainsOf(text)
    .flat()
    .flatMap(({ words }) => words)

/** Folds a text to one word, so that SKUs and part numbers match whatever separates their parts. */
export const codeOf = (text: string): string =>
  cut(isAscii(text) ? text.toLowerCase().replace(betweenWords, '') : wordsOf(text).join(''))

const betweenWords = /[^a-z0-9]+/g

/** A code as a lexeme of its own, which no word equals: it is found by its whole value. */
export const codeLexeme = (code: string): string => `=${code}`

const cut = (word: string): string => word.slice(0, lengthMax).toWellFormed()

/** A run of letters and digits, and its place in the text. */
export interface Run {
  readonly from: number
  readonly to: number
  readonly words: readonly string[]
}

/** Units may be written as single signs, such as ㎏. */
const run = /[\p{L}\p{N}\p{M}\u3300-\u33ff]+/gu
const asciiRun = /[a-z0-9]+/gi

/** The signs that join a compound: `Wi-Fi`, `T-shirt`, `L'Oréal`, `rock&roll`. */
const joiners = "-'’‐‑._/&+·"
const isDigit = (character = '') => character >= '0' && character <= '9'
/** More parts are treated as a list. */
const partsMax = 8

/**
 * The runs of a text, in chains. Runs joined by a single sign form a chain, because some people write them as one
 * word.
 */
export function chainsOf(text: string): readonly (readonly Run[])[] {
  const chains: Run[][] = []
  let before: Run | undefined
  for (const match of text.matchAll(isAscii(text) ? asciiRun : run)) {
    const run = { from: match.index, to: match.index + match[0].length, words: wordsOfRun(match[0]) }
    const chain = chains.at(-1)
    if (chain && before && chain.length < partsMax && isJoined(text, before.to, run.from)) chain.push(run)
    else chains.push([run])
    before = run
  }
  return chains
}

function isJoined(text: string, from: number, to: number): boolean {
  if (to !== from + 1 || !joiners.includes(text[from] as string)) return false
  // 2.5 is not 25.
  return text[from] === '-' || !isDigit(text[from - 1]) || !isDigit(text[to])
}

/** Most runs need no tables of Unicode. */
const isAscii = (text: string): boolean => !notAscii.test(text)
const notAscii = /[^\0-\x7f]/

const wordsOfRun = (text: string): readonly string[] =>
  isAscii(text)
    ? [text.toLowerCase().slice(0, lengthMax)]
    : (foldText(text).match(word) ?? []).flatMap((word) => word.match(scripts) ?? []).map(cut)

/** Scripts without spaces between words. */
const dense =
  '\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Bopo}\\p{scx=Thai}\\p{scx=Laoo}\\p{scx=Khmr}\\p{scx=Mymr}\\p{scx=Tibt}'
const scripts = new RegExp(`[${dense}\\p{scx=Hang}]+|[^${dense}\\p{scx=Hang}]+`, 'gu')
const isDenseWord = new RegExp(`^[${dense}\\p{scx=Hang}]`, 'u')

/** Whether a text is in a script without spaces, so that any part of it may be a word. */
export const isDense = (word: string): boolean => word.charCodeAt(0) > 0x7f && isDenseWord.test(word)

/** Splits a word of a dense script into its letters and pairs of adjacent letters. */
export function partsOfDense(word: string): {
  readonly letters: readonly string[]
  readonly pairs: readonly string[]
} {
  const letters = [...word.normalize('NFC')]
  return { letters, pairs: letters.slice(1).map((letter, i) => `${letters[i]}${letter}`) }
}

/** A chain as one word; undefined for a single run or a dense script. */
export function joinedOf(chain: readonly Run[]): string | undefined {
  if (chain.length < 2) return undefined
  const words = chain.flatMap(({ words }) => words)
  return words.some(isDense) ? undefined : cut(words.join(''))
}

/** A word in ASCII, or several of them with single signs between, which may be a compound. */
const asciiChain = /[a-z0-9]+(?:[-'._/&+][a-z0-9]+)*/g
const isOneWord = /^[a-z0-9]+$/

/** The words by which a text is found, including compounds as one word, and parts of words in dense scripts. */
export function termsOf(text: string): readonly string[] {
  const terms = new Set<string>()
  if (!isAscii(text)) addTerms(terms, text)
  // Most words are found without the tables of Unicode, and need no chain.
  else {
    for (const chain of text.toLowerCase().match(asciiChain) ?? []) {
      if (isOneWord.test(chain)) terms.add(chain.slice(0, lengthMax))
      else addTerms(terms, chain)
    }
  }
  return [...terms]
}

function addTerms(terms: Set<string>, text: string): void {
  for (const chain of chainsOf(text)) {
    for (const { words } of chain) {
      for (const word of words) {
        if (!isDense(word)) terms.add(word)
        else {
          const { letters, pairs } = partsOfDense(word)
          for (const part of [...letters, ...pairs]) terms.add(part)
        }
      }
    }
    for (let i = 1; i < chain.length; i++) {
      const joined = joinedOf(chain.slice(i - 1, i + 1))
      if (joined) terms.add(joined)
    }
    const joined = joinedOf(chain)
    if (joined) terms.add(joined)
  }
}

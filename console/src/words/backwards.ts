import { en, type Words } from './en.ts'

/**
 * A made-up language that is read from right to left: English in other letters. What is not in the catalogue stays
 * readable on the screen, so it is seen, as is what a layout from right to left breaks.
 */
const letters: Readonly<Record<string, string>> = Object.fromEntries(
  [...'abcdefghijklmnopqrstuvwxyz'].map((letter, i) => [
    letter,
    [...'ابجدهوزحطيكلمنسعفصقرشتثخذض'][i] ?? letter,
  ]),
)

/** Names and numbers inside of a text keep their letters and their direction. */
const isolate = (value: unknown): unknown => (typeof value === 'string' ? `\u2068${value}\u2069` : value)

const turnText = (text: string): string =>
  text
    .split(/(\u2068[^\u2069]*\u2069)/)
    .map((part) =>
      part.startsWith('\u2068')
        ? part
        : part.replace(/[a-z]/gi, (letter) => letters[letter.toLowerCase()] ?? letter),
    )
    .join('')

/** Texts in the other letters, at any depth. */
export function turn(part: unknown): unknown {
  if (typeof part === 'string') return turnText(part)
  if (typeof part === 'function') return (...values: readonly unknown[]) => turn(part(...values.map(isolate)))
  if (typeof part !== 'object' || part === null) return part
  return Object.fromEntries(Object.entries(part).map(([name, one]) => [name, turn(one)]))
}

const turned = turn(en) as Words

export const backwards: Words = {
  ...turned,
  language: 'ar-XB',
  direction: 'rtl',
  record: { ...turned.record, back: '→' },
  // Keys and filters are the same in every language.
  shell: { ...turned.shell, findHint: en.shell.findHint },
  filter: { ...turned.filter, placeholder: en.filter.placeholder },
}

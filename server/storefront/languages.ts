import { ownValue } from '../kernel/shape/values.ts'
/** Texts in a language that a shopper prefers. Without I/O. */

/** By the tag of the language: what is in it. */
export type Locales = Readonly<Record<string, Readonly<Record<string, string | null | undefined>>>>

/** More languages are not looked at. */
const languagesMax = 20

/** The languages of such headers, the most preferred first: what says so by itself goes before what lists several. */
export function languagesAsked(own: string | undefined, accepted: string | undefined): readonly string[] {
  const weighed = (accepted ?? '').split(',').map((part) => {
    const [tag = '', ...parameters] = part.split(';').map((text) => text.trim())
    const quality = parameters.find((parameter) => /^q=/i.test(parameter))
    return { tag, weight: quality === undefined ? 1 : Number(quality.slice(2)) }
  })
  const listed = weighed
    .filter(({ tag, weight }) => /^[A-Za-z0-9_-]+$/.test(tag) && weight > 0)
    .sort((one, other) => other.weight - one.weight)
    .map(({ tag }) => tag)
  return [...(own?.trim() ? [own.trim()] : []), ...listed].slice(0, languagesMax)
}

/** The language that is shown: the first that there are texts in, exactly or by its first part (`fr` of `fr-CA`). */
export function languageOf(languages: readonly string[], locales: Locales | undefined): string | undefined {
  if (!locales || !languages.length) return undefined
  const known = new Map(Object.keys(locales).map((tag) => [folded(tag), tag]))
  for (const asked of languages) {
    const tag = folded(asked)
    const found = known.get(tag) ?? known.get(tag.split('-', 1)[0] ?? '')
    if (found !== undefined) return found
  }
  return undefined
}

const folded = (tag: string): string => tag.toLowerCase().replaceAll('_', '-')

/** Only these are said in several languages. */
const localized = ['name', 'description'] as const

/** The name and the description in a language; what is not said in it is as it was. */
export function textsIn(
  language: string | undefined,
  locales: Locales | undefined,
): Readonly<Record<string, string>> {
  const texts = language === undefined ? undefined : ownValue(locales, language)
  return Object.fromEntries(localized.flatMap((name) => (texts?.[name] ? [[name, texts[name]]] : [])))
}

/** The name in the language that is shown; undefined where it is not translated. */
export const nameIn = (languages: readonly string[], locales: Locales | undefined): string | undefined =>
  textsIn(languageOf(languages, locales), locales).name

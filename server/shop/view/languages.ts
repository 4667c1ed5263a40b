import { ownValue } from '../../kernel/shape/values.ts'
/** Texts in a language that a shopper prefers. It does no I/O. */

/** Texts by language tag. */
export type Locales = Readonly<Record<string, Readonly<Record<string, string | null | undefined>>>>

/** Further languages are ignored. */
const languagesMax = 20

/**
 * The languages of the headers, most preferred first. The header with one language precedes the header with a list.
 */
export function requestedLanguages(own: string | undefined, accepted: string | undefined): readonly string[] {
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

/** Chooses the first language that has texts, exactly or by its first part (`fr` of `fr-CA`). */
export function languageOf(languages: readonly string[], locales: Locales | undefined): string | undefined {
  if (!locales || !languages.length) return undefined
  const byTag = new Map(Object.keys(locales).map((tag) => [folded(tag), tag]))
  for (const language of languages) {
    const tag = folded(language)
    const value = byTag.get(tag) ?? byTag.get(tag.split('-', 1)[0] ?? '')
    if (value !== undefined) return value
  }
  return undefined
}

const folded = (tag: string): string => tag.toLowerCase().replaceAll('_', '-')

/** Only these attributes are translated. */
const localized = ['name', 'description'] as const

/** The name and the description in a language. Untranslated texts are left out. */
export function textsIn(
  language: string | undefined,
  locales: Locales | undefined,
): Readonly<Record<string, string>> {
  const texts = language === undefined ? undefined : ownValue(locales, language)
  return Object.fromEntries(localized.flatMap((name) => (texts?.[name] ? [[name, texts[name]]] : [])))
}

/** The name in the chosen language; undefined where it is not translated. */
export const nameIn = (languages: readonly string[], locales: Locales | undefined): string | undefined =>
  textsIn(languageOf(languages, locales), locales).name

import { en, type Words } from './en.ts'
import type { ScreenWords } from './en-screens.ts'

export type { Words }

/** The languages of the console, with what they call themselves. */
export const languages = { en: 'English', 'ar-XB': 'Test language (right to left)' } as const

export type Language = keyof typeof languages

/** The texts in the language of the reader. They are read when something is drawn, so that they can change. */
export let words: Words = en

/** The texts of the screens that are more than declarations. They come with the first such screen. */
export let screenWords = {} as ScreenWords

let hasScreenWords = false

export async function readScreenWords(): Promise<void> {
  screenWords =
    words.language === 'en'
      ? (await import('./en-screens.ts')).screens
      : (await import('./backwards-screens.ts')).backwardsScreens
  hasScreenWords = true
}

const storageKey = 'sutler.language'
const listeners = new Set<() => void>()

/** For `useSyncExternalStore`. */
export const languageStore = {
  get: (): string => words.language,
  subscribe(listener: () => void): () => void {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
}

/** Shows everything in a language. Others than English are loaded when somebody chooses them. */
export async function speak(language: Language): Promise<void> {
  words = language === 'en' ? en : (await import('./backwards.ts')).backwards
  if (hasScreenWords) await readScreenWords()
  document.documentElement.lang = words.language
  document.documentElement.dir = words.direction
  for (const listener of listeners) listener()
}

/** As `speak`, and also the next time. */
export function chooseLanguage(language: Language): Promise<void> {
  if (language === 'en') localStorage.removeItem(storageKey)
  else localStorage.setItem(storageKey, language)
  return speak(language)
}

/** Speaks the language that was chosen in this browser. */
export async function speakChosen(): Promise<void> {
  const chosen = localStorage.getItem(storageKey)
  if (chosen === 'ar-XB') await speak(chosen)
}

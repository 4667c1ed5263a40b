import { en, type Words } from './en.ts'

/** The texts in the language of the reader. */
export const words: Words = en

/** A name of the API for people: `created_at` becomes "Created at". */
export function readable(name: string): string {
  const text = name.replaceAll(/[_-]/g, ' ').trim()
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** The name of a field by the last parts of its path: the envelope of the API says nothing to people. */
export function fieldTitle(path: string): string {
  const names = path.split('.').filter((name) => !silent.includes(name))
  return readable((names.length ? names : [path]).join(' '))
}

const silent = ['attributes', 'meta', 'timestamps', 'relationships', 'data']

const times = new Intl.DateTimeFormat(words.language, { dateStyle: 'medium', timeStyle: 'short' })

export function timeText(iso: string): string {
  const time = new Date(iso)
  return Number.isNaN(time.getTime()) ? iso : times.format(time)
}

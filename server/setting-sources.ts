import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import type { Format } from './setting-formats.ts'

export type Env = Readonly<Record<string, string | undefined>>

/** A setting as it is in force. */
interface SettingInForce {
  readonly name: string
  /** Undefined if it has no value. */
  readonly value: string | undefined
  readonly from: string
  readonly isSecret: boolean
}

/** Names with the prefix that are no settings, and that nobody need be told about: see the file of the first key. */
const otherNames = ['SUTLER_CONFIG', 'SUTLER_URL']

/** Where a setting may come from, in this order: the first that has it wins. */
interface SettingSource {
  readonly name: string
  readonly values: Env
}

/**
 * Reads settings from the environment, and from the file that SUTLER_CONFIG names. A secret may also be in a file of
 * its own, which the setting with `_FILE` at its end names.
 */
export function settingsOf(env: Env) {
  const settings: SettingInForce[] = []
  const faults: string[] = []
  const sources = [{ name: 'the environment', values: env }, ...configFile(env.SUTLER_CONFIG?.trim(), faults)]

  const setting = <T, D>(name: string, format: Format<T>, fallback: D): T | D => {
    const { accepts, hidden: isSecret = false, read } = format
    const found = find(sources, name, isSecret, faults)
    const put = (value: string | undefined, from: string) => settings.push({ name, value, from, isSecret })
    if (!found) {
      put(fallback === undefined ? undefined : String(fallback), 'default')
      return fallback
    }
    const result = read(found.text)
    put(found.text, found.from)
    if (result !== undefined) return result
    faults.push(`${name} is ${isSecret ? 'not valid' : JSON.stringify(found.text)}: it must be ${accepts}`)
    return fallback
  }

  /** A line for each name that looks like a setting, and is none. */
  const unknown = (): readonly string[] => {
    const known = settings.flatMap(({ name, isSecret }) => (isSecret ? [name, `${name}_FILE`] : [name]))
    const names = sources.flatMap(({ values }) => Object.keys(values))
    const strange = names.filter(
      (name) => name.startsWith('SUTLER_') && ![...known, ...otherNames].includes(name),
    )
    return [...new Set(strange)].sort().map((name) => {
      const meant = known.find((one) => lettersOf(one) === lettersOf(name))
      return `${name} is not a setting: ${meant ? `did you mean ${meant}?` : 'sutler config lists them'}`
    })
  }

  return { setting, settings, faults, unknown }
}

/** Some settings have no prefix, and it is easy to forget which. */
const lettersOf = (name: string) => name.replace(/^SUTLER_/, '').replaceAll('_', '')

function find(
  sources: readonly SettingSource[],
  name: string,
  isSecret: boolean,
  faults: string[],
): { readonly text: string; readonly from: string } | undefined {
  const fileName = `${name}_FILE`
  for (const { name: source, values } of sources) {
    const [text, file] = [values[name]?.trim(), isSecret ? values[fileName]?.trim() : undefined]
    if (text && file) faults.push(`${name} and ${fileName} are both set: set only one`)
    if (text) return { text, from: source }
    if (!file) continue
    const content = read(fileName, file, faults)
    if (content) return { text: content, from: `${file} (${fileName})` }
    if (content === '') faults.push(`${fileName} names ${file}, which is empty`)
    return undefined
  }
  return undefined
}

function configFile(path: string | undefined, faults: string[]): readonly SettingSource[] {
  if (!path) return []
  const text = read('SUTLER_CONFIG', path, faults)
  if (text === undefined) return []
  const wrong = text.split('\n').findIndex((line) => !/^\s*(#.*|[A-Za-z_]\w*\s*=.*)?$/.test(line))
  if (wrong >= 0)
    faults.push(`line ${wrong + 1} of ${path} (SUTLER_CONFIG) must be KEY=value, or begin with #`)
  return [{ name: `${path} (SUTLER_CONFIG)`, values: parseEnv(text) }]
}

function read(name: string, path: string, faults: string[]): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    faults.push(`${name} names a file that cannot be read: ${(error as Error).message}`)
    return undefined
  }
}

import { Problem, together } from '../errors.ts'

/** The maximum number of faults in one response. */
export const faultsMax = 20

/** Collects the faults of several checks, so that a client sees all of them at once. */
export class Faults {
  readonly #list: Problem[] = []

  /** Runs a check that throws a Problem for a fault. Returns its result, or undefined for a fault. */
  check<T>(run: () => T): T | undefined {
    try {
      return run()
    } catch (fault) {
      if (!(fault instanceof Problem)) throw fault
      this.#list.push(...fault.all)
      return undefined
    }
  }

  /** Whether the response would list no further faults. */
  get isFull(): boolean {
    return this.#list.length >= faultsMax
  }

  get any(): boolean {
    return this.#list.length > 0
  }

  /** Throws the first faults together, if there are any. */
  refuse(): void {
    if (this.#list.length) throw together(this.#list.slice(0, faultsMax))
  }
}

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

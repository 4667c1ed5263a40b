import { type ParseArgsConfig, parseArgs } from 'node:util'
import type { Command, CommandCall } from './command.ts'
import { WrongCall } from './wrong-call.ts'

/** Options of every command. */
const common = {
  config: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

export interface ParsedCall extends Pick<CommandCall, 'args' | 'options'> {
  /** The file of settings. */
  readonly config: string | undefined
  readonly json: boolean
  readonly help: boolean
}

/** The command that the first words name, and the words after them. */
export function findCommand(
  commands: readonly Command[],
  words: readonly string[],
): { readonly command: Command | undefined; readonly rest: readonly string[] } {
  for (const length of [2, 1]) {
    const name = words.slice(0, length).join(' ')
    const command = commands.find((one) => one.name === name)
    if (command) return { command, rest: words.slice(length) }
  }
  return { command: undefined, rest: words }
}

/** Reads the options and arguments of a command. */
export function parseCall({ name, args: declared = [], options = {} }: Command, words: readonly string[]) {
  const own = Object.fromEntries(
    Object.entries(options).map(([option, { value }]) => [
      option,
      { type: value === undefined ? ('boolean' as const) : ('string' as const) },
    ]),
  )
  const { values, positionals } = orWrongCall(name, () =>
    parseArgs<ParseArgsConfig>({ args: [...words], allowPositionals: true, options: { ...own, ...common } }),
  )
  const empty = Object.keys(values).find((option) => values[option] === '')
  if (empty !== undefined) throw new WrongCall(`--${empty} needs a value: see sutler ${name} --help`)
  const call: ParsedCall = {
    args: positionals,
    options: Object.fromEntries(
      Object.entries(options).map(([option, { value }]) => [
        option,
        values[option] ?? (value === undefined ? false : undefined),
      ]),
    ) as ParsedCall['options'],
    config: values.config === undefined ? undefined : String(values.config),
    json: values.json === true,
    help: values.help === true,
  }
  if (!call.help) mustFit(name, declared, positionals)
  return call
}

function mustFit(name: string, declared: NonNullable<Command['args']>, given: readonly string[]): void {
  const usage = ['sutler', name, ...declared.map(([one]) => `<${one}>`)].join(' ')
  const missing = declared.find((_, i) => !given[i])
  if (missing) throw new WrongCall(`the ${missing[0]} is missing: ${usage}`)
  const extra = given[declared.length]
  if (extra !== undefined) throw new WrongCall(`${JSON.stringify(extra)} is one argument too many: ${usage}`)
}

/** `parseArgs` says in its first sentence what is wrong. */
function orWrongCall<T>(name: string, parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    const [first = ''] = (error as Error).message.split('. ')
    throw new WrongCall(`${first.replace(/\.$/, '')}: see sutler ${name} --help`)
  }
}

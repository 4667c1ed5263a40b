import { type Command, type CommandOption, groups } from './command.ts'

/** The commands, by their groups. */
export function overview(commands: readonly Command[]): string {
  const lines = aligned(commands.map(({ name, about }) => [name, about]))
  const listed = groups.flatMap((group) => {
    const own = lines.filter((_, i) => commands[i]?.group === group)
    return own.length > 0 ? [group, ...own, ''] : []
  })
  return [
    'Sutler is an open, self-hosted commerce server.',
    '',
    'sutler <command> [options]     without a command: sutler start',
    '',
    ...listed,
    'sutler <command> --help shows examples. Every command takes --json: its result is one JSON object.',
    'Exit codes: 0 done, 1 failed, 2 wrong call or setting, 3 refused (nothing has changed).',
    'Settings are environment variables, or lines of the file that --config names: sutler config shows them.',
    '',
  ].join('\n')
}

/** The commands that begin with one word, such as `key`. */
export const helpOfWord = (word: string, commands: readonly Command[]): string =>
  [
    ...aligned(commands.map(({ name, about }) => [name, about])),
    '',
    `sutler ${word} <command> --help shows examples.`,
    '',
  ].join('\n')

/** What one command does, takes and leaves, with examples. */
export function helpOf({ name, about, details, args = [], options = {}, examples, leaves }: Command): string {
  const all = {
    ...options,
    config: { value: 'file', about: 'A file of settings, in place of SUTLER_CONFIG.' },
    json: { about: 'Prints the result as one JSON object.' },
  }
  const usage = ['sutler', name, ...args.map(([one]) => `<${one}>`), '[options]'].join(' ')
  const rows = [
    ...args.map(([one, what]) => [`<${one}>`, what] as const),
    ...Object.entries(all).map(([option, declared]) => [written(option, declared), declared.about] as const),
  ]
  return [
    about,
    ...(details ? ['', details] : []),
    '',
    usage,
    '',
    ...aligned(rows),
    '',
    'Examples',
    ...examples.flatMap(([call, does]) => [`  ${does}`, `    ${call}`]),
    ...(leaves ? ['', `Ctrl-C: ${leaves}`] : []),
    '',
  ].join('\n')
}

const written = (option: string, { value }: CommandOption) =>
  `--${option}${value === undefined ? '' : ` <${value}>`}`

function aligned(rows: readonly (readonly [left: string, right: string])[]): readonly string[] {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`)
}

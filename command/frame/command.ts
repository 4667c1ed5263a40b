import type { Progress } from '../../tools/progress.ts'

/** The groups of commands, in the order of the help. */
export const groups = ['Run', 'Data', 'Schema', 'People', 'Truth'] as const
type CommandGroup = (typeof groups)[number]

/** An option of a command, such as `--store <id>` or `--follow`. */
export interface CommandOption {
  /** What stands for its value in the help. An option without one is a flag. */
  readonly value?: string
  readonly about: string
}

export const text = (value: string, about: string) => ({ value, about }) as const
export const flag = (about: string) => ({ about }) as const

type CommandOptions = Readonly<Record<string, CommandOption>>

type OptionValues<O extends CommandOptions> = {
  readonly [N in keyof O]: O[N] extends { readonly value: string } ? string | undefined : boolean
}

/** What a command is called with, and how it says what it does. */
export interface CommandCall<O extends CommandOptions = CommandOptions> {
  /** The arguments in their order, as many as the command declares. */
  readonly args: readonly string[]
  readonly options: OptionValues<O>
  /** Aborts at Ctrl-C or SIGTERM: the command ends as soon as nothing is half done. */
  readonly signal: AbortSignal
  /** What SIGHUP does in place of ending the command. */
  readonly onHangUp: (act: () => void) => void
  readonly progress: Progress
  /** Tells the operator something on the way, on stderr. */
  readonly say: (line: string) => void
  /** Says something on stdout before the end; `data` is what `--json` prints in place of the text. */
  readonly print: (line: string, data: object) => void
}

/** What a command has done: `text` for people, `data` for programs. */
export interface CommandOutcome {
  readonly text: string
  readonly data: object
  /** The command ran to its end, and what it looked for is not so: exit code 1. */
  readonly hasFailed?: boolean
}

/** A command as it is listed, described, parsed and run. */
export interface Command {
  /** One word or two, such as `key add`. */
  readonly name: string
  readonly group: CommandGroup
  /** What it does, in a sentence. */
  readonly about: string
  /** What else its help says. */
  readonly details?: string
  /** Its arguments: name, and what it is. All of them are required. */
  readonly args?: readonly (readonly [name: string, about: string])[]
  readonly options?: CommandOptions
  /** Calls and what each does. */
  readonly examples: readonly (readonly [call: string, does: string])[]
  /** What an interruption leaves. It is said after Ctrl-C. */
  readonly leaves?: string
  readonly run: (call: CommandCall) => Promise<CommandOutcome>
}

/** Declares a command. Its `run` sees the options by their types. */
export function command<const O extends CommandOptions>(
  declaration: Omit<Command, 'options' | 'run'> & {
    readonly options?: O
    readonly run: (call: CommandCall<O>) => Promise<CommandOutcome>
  },
): Command {
  return declaration as unknown as Command
}

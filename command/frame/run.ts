import { systemClock } from '../../server/kernel/clock.ts'
import { StartupError, StartupRefusal, WrongSetting } from '../../server/platform/faults.ts'
import type { Command, CommandOutcome } from './command.ts'
import { helpOf, helpOfWord, overview } from './help.ts'
import { findCommand, type ParsedCall, parseCall } from './parse.ts'
import { ShownProgress } from './progress.ts'
import { WrongCall } from './wrong-call.ts'

/** What the exit code of a command says. */
export const exitCodes = { done: 0, failed: 1, wrongCall: 2, refused: 3 } as const

/** Ctrl-C also reaches the process through npm: what comes so soon after the first is the same one. */
const sameSignalMs = 1000

/** Runs the command that the words name, and returns the exit code. */
export async function runCommand(commands: readonly Command[], words: readonly string[]): Promise<number> {
  const [first] = words
  if (first === 'help' || first === '--help' || first === '-h') return help(commands, words.slice(1))
  const named = namedBy(words)
  const { command, rest } = findCommand(commands, named)
  if (!command) {
    const same = commandsBelow(commands, first)
    if (same.length > 0 && rest.some((word) => word === '--help' || word === '-h'))
      return help(commands, words)
    const second = same.map(({ name }) => name.slice(name.indexOf(' ') + 1))
    const fault =
      second.length > 0 ? `sutler ${first} needs one of: ${second.join(', ')}` : noSuchCommand(first)
    return fail(new WrongCall(fault), words.includes('--json'))
  }
  let call: ParsedCall
  try {
    call = parseCall(command, rest)
  } catch (error) {
    return fail(error as Error, rest.includes('--json'))
  }
  if (call.help) {
    process.stdout.write(helpOf(command))
    return exitCodes.done
  }
  return runParsed(command, call)
}

/** Shows one command, those that begin with one word, such as `key`, or all of them. */
function help(commands: readonly Command[], words: readonly string[]): number {
  const [first] = words
  const { command } = findCommand(commands, words)
  const below = commandsBelow(commands, first)
  const isOfAll = first === undefined || first.startsWith('-')
  if (!command && below.length === 0 && !isOfAll) return fail(new WrongCall(noSuchCommand(first)))
  process.stdout.write(command ? helpOf(command) : isOfAll ? overview(commands) : helpOfWord(first, below))
  return exitCodes.done
}

const commandsBelow = (commands: readonly Command[], word: string | undefined) =>
  commands.filter(({ name }) => name.startsWith(`${word} `))

const noSuchCommand = (word: string | undefined) =>
  `there is no command ${JSON.stringify(word)}: sutler --help lists the commands`

/** Without a command it is `start`. Every program has `--version`. */
function namedBy(words: readonly string[]): readonly string[] {
  const [first, ...rest] = words
  if (first === '--version' || first === '-v') return ['version', ...rest]
  return first === undefined || first.startsWith('-') ? ['start', ...words] : words
}

async function runParsed(command: Command, { json, config, ...call }: ParsedCall): Promise<number> {
  if (config !== undefined) (await import('../../server/config.ts')).setInEnvironment('SUTLER_CONFIG', config)
  const interruption = interruptions()
  const progress = new ShownProgress(systemClock, process.stderr, interruption.signal)
  const show = (line: string, data: object) => process.stdout.write(`${json ? JSON.stringify(data) : line}\n`)
  try {
    const outcome: CommandOutcome = await command.run({
      ...call,
      ...{ signal: interruption.signal, onHangUp: interruption.onHangUp },
      progress,
      say: (line) => {
        progress.clear()
        process.stderr.write(`${line}\n`)
      },
      print: show,
    })
    progress.clear()
    if (outcome.text || json) show(outcome.text, outcome.data)
    return outcome.hasFailed ? exitCodes.failed : exitCodes.done
  } catch (error) {
    progress.clear()
    // What an aborted command throws is only that it was aborted.
    if (!interruption.signal.aborted) return fail(error as Error, json)
    return fail(
      new StartupError(`interrupted. ${asSentence(command.leaves ?? 'nothing has changed.')}`),
      json,
    )
  } finally {
    interruption.end()
  }
}

const asSentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** The first signal asks the command to end; a second Ctrl-C ends the process at once. */
function interruptions() {
  const controller = new AbortController()
  let firstMs: number | undefined
  let hangUp: (() => void) | undefined
  const onSignal = (signal: NodeJS.Signals) => {
    if (signal === 'SIGHUP' && hangUp) return hangUp()
    const nowMs = systemClock.now().getTime()
    firstMs ??= nowMs
    controller.abort()
    if (signal === 'SIGINT' && nowMs - firstMs > sameSignalMs) process.exit(exitCodes.failed)
  }
  const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, onSignal)
  return {
    signal: controller.signal,
    onHangUp: (act: () => void) => {
      hangUp = act
    },
    end: () => {
      for (const signal of signals) process.off(signal, onSignal)
    },
  }
}

/** Says why a command has not done what it should, and returns the exit code. */
function fail(error: Error, json = false): number {
  const { message, stack, code } = error as NodeJS.ErrnoException
  // Errors of the file system and of PostgreSQL state the reason.
  const isReason = error instanceof StartupError || error instanceof WrongCall || code !== undefined
  const exitCode = exitCodeOf(error)
  if (json) process.stdout.write(`${JSON.stringify({ error: message, exit_code: exitCode })}\n`)
  process.stderr.write(`sutler: ${isReason ? message : stack}\n`)
  return exitCode
}

function exitCodeOf(error: Error): number {
  if (error instanceof WrongCall || error instanceof WrongSetting) return exitCodes.wrongCall
  return error instanceof StartupRefusal ? exitCodes.refused : exitCodes.failed
}

import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { commands } from '../../command/commands.ts'
import { findCommand, parseCall } from '../../command/frame/parse.ts'

/** Calls of the command in the help, the documents and what is packaged: an operator copies them. */

const root = join(import.meta.dirname, '../..')
const own = (folder: string, name: RegExp) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && name.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
const files = ['README.md', 'CONTRIBUTING.md', ...own('docs', /\.md$/), ...own('packaging', /./)]

interface WrittenCall {
  readonly where: string
  readonly words: readonly string[]
  /** A mention in a sentence, which may leave arguments out. */
  readonly isMention: boolean
}

/** What a shell makes of it, up to a comment, a pipe or an ellipsis that is not the value of an option. */
const wordsOf = (text: string): readonly string[] =>
  [
    ...text
      .replace(/(--[a-z-]+) …/g, '$1 x')
      .replace(/( #| [|>;]|…|\\$).*/, '')
      .matchAll(/"([^"]*)"|(\S+)/g),
  ].map(([, quoted, plain]) => quoted ?? plain ?? '')

const call = /(?:^|[\s"])(?:npx )?sutler((?: +[a-z-][^`\n]*)?)$/

const written = files.flatMap((file): readonly WrittenCall[] => {
  const text = readFileSync(join(root, file), 'utf8')
  const isMarkdown = file.endsWith('.md')
  const spans = isMarkdown
    ? [...text.matchAll(/`((?:[A-Z_]+=\S+ )*sutler [^`]*)`/g)].map(([, span = '']) => span)
    : []
  const lines = text.split('\n').filter((line) => (isMarkdown ? /^ {4}/.test(line) : /-- sutler /.test(line)))
  return [
    ...spans.map((span) => ({ span, isMention: true })),
    ...lines.map((span) => ({ span, isMention: false })),
  ].flatMap(({ span, isMention }) => {
    const [, rest] = call.exec(span.trim()) ?? []
    return rest === undefined ? [] : [{ where: `${file}: ${span.trim()}`, words: wordsOf(rest), isMention }]
  })
})

const examples = commands.flatMap(({ name, examples: own }) =>
  own.flatMap(([text]): readonly WrittenCall[] => {
    const [, rest] = call.exec(text.split('\\\n')[0] ?? '') ?? []
    return rest === undefined
      ? []
      : [{ where: `the help of ${name}`, words: wordsOf(rest), isMention: false }]
  }),
)

test('every call in the help, a document or a package is one that the command accepts', () => {
  expect(written.length).toBeGreaterThan(50)
  expect(examples.length).toBeGreaterThan(30)
  const wrong = [...written, ...examples].flatMap(({ where, words, isMention }) => {
    const [first = 'start'] = words
    if (/^(--|-v|help|<)/.test(first)) return []
    const { command, rest } = findCommand(commands, words.length > 0 ? words : ['start'])
    if (!command) return [where]
    try {
      parseCall(command, rest)
      return []
    } catch (error) {
      const { message } = error as Error
      return isMention && / is missing: /.test(message) ? [] : [`${where}: ${message}`]
    }
  })
  expect(wrong).toEqual([])
})

import { readFileSync } from 'node:fs'

const setting = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*\w+: (?:resolve\()?setting\('(\w+)', .*?, ([^,]+?)\)+,\n/g

/** docs/configuration.md: the settings of server/config.ts, with their comments. */
export function configurationPage(): string {
  const source = readFileSync(new URL('../../server/config.ts', import.meta.url), 'utf8')
  const sections = [...source.matchAll(setting)].map(([, comment = '', name, fallback = '']) => {
    const text = comment.replace(/\s*\n\s*\*\s?/g, ' ').trim()
    const plain = /^('.*'|\d+|false)$/.test(fallback)
      ? `\n\nDefault: \`${fallback.replaceAll("'", '')}\``
      : ''
    return `## ${name}\n\n${text}${plain}\n`
  })
  const declared = source.split('setting(').length - 1
  if (sections.length !== declared)
    throw new Error(`${declared} settings, but ${sections.length} with a comment`)
  return `# Configuration

Generated from \`server/config.ts\` by \`npm run docs\`. Settings are environment variables. All of them are optional, and an
empty variable counts as not set. The server does not start with a value that is not valid: it names the setting in one line.

${sections.join('\n')}`
}

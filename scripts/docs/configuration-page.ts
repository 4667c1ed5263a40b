import { readFileSync } from 'node:fs'
import { readSettings } from '../../server/config.ts'

const setting = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*\w+: (?:resolve\()?setting\('(\w+)', .*?, ([^,]+?)\)+,\n/g

/** docs/configuration.md: the settings of server/config.ts, with their comments. */
export function configurationPage(): string {
  const source = readFileSync(new URL('../../server/config.ts', import.meta.url), 'utf8')
  const secrets = readSettings({}).settings.flatMap(({ name, isSecret }) => (isSecret ? [name] : []))
  const sections = [...source.matchAll(setting)].map(([, comment = '', name = '', fallback = '']) => {
    const text = comment.replace(/\s*\n\s*\*\s?/g, ' ').trim()
    const plain = /^('.*'|\d+|true|false)$/.test(fallback)
      ? `\n\nDefault: \`${fallback.replaceAll("'", '')}\``
      : ''
    const file = secrets.includes(name) ? `\n\nOr \`${name}_FILE\`: a file that has it.` : ''
    return `## ${name}\n\n${text}${plain}${file}\n`
  })
  const declared = source.split('setting(').length - 1
  if (sections.length !== declared)
    throw new Error(`${declared} settings, but ${sections.length} with a comment`)
  return `# Configuration

Generated from \`server/config.ts\` by \`npm run docs\`. Settings are environment variables. All of them are optional, and an
empty variable counts as not set. The server does not start with a value that is not valid: it names the setting in one line.

\`SUTLER_CONFIG\`, or \`--config\` of a command, names a file with lines \`KEY=value\`, as systemd and compose read it. The
environment comes before it. A secret may be in a file of its own, as containers have it:
\`SUTLER_SECRET_FILE=/run/secrets/sutler\`, in the environment or in that file. \`sutler config\` shows each setting in force and
where it comes from; \`sutler config --check\` says what is wrong.

${sections.join('\n')}`
}

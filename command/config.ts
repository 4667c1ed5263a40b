import { command, flag } from './frame/command.ts'

export const config = command({
  name: 'config',
  group: 'Run',
  about: 'Shows each setting in force and where it comes from. Of a secret it shows only that it is set.',
  details:
    'A setting comes from the environment, or else from the file that SUTLER_CONFIG or --config names, with lines KEY=value. Each\n' +
    'secret may also be in a file of its own: SUTLER_SECRET_FILE=/run/secrets/sutler.',
  options: { check: flag('Says what is wrong with the settings, and fails if anything is.') },
  examples: [
    ['sutler config', 'all settings'],
    ['sutler config --check --config /etc/sutler.env', 'before a start with these settings'],
  ],
  async run({ options }) {
    const { readSettings } = await import('../server/config.ts')
    const { settings, faults, unknown } = readSettings()
    const shown = settings.map(({ name, value, from, isSecret }) => ({
      name,
      value: value === undefined ? null : isSecret ? 'set' : value,
      from,
    }))
    const wrong = [...faults, ...unknown]
    const width = Math.max(...shown.map(({ name }) => name.length))
    const lines = options.check
      ? []
      : shown.map(({ name, value, from }) => `${name.padEnd(width)}  ${value ?? '-'}  (${from})`)
    const verdict = wrong.length > 0 ? wrong : options.check ? ['The settings are valid.'] : []
    return {
      text: [...lines, ...verdict].join('\n'),
      data: { settings: shown, faults, unknown },
      hasFailed: options.check && wrong.length > 0,
    }
  },
})

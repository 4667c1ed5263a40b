import { command } from './frame/command.ts'

export const secretRotate = command({
  name: 'secret rotate',
  group: 'People',
  about: 'Makes a new secret for this installation, and keeps the previous one for as long as it is needed.',
  details:
    'It is for the secret in the data directory. Restart the server to use the new one. What was made with the previous\n' +
    'one stays valid: the log says when it is no longer needed. Remove the file secret.previous then.',
  examples: [['sutler secret rotate', 'once a year, or when a colleague leaves']],
  leaves: 'the secret is the old one or the new one, and nothing is lost.',
  async run() {
    const { readConfig, replaceSecret } = await import('../server/config.ts')
    const config = readConfig()
    const previous = replaceSecret(config)
    return {
      text: `The secret is new: restart the server. Remove ${previous} when the log says that it is no longer needed.`,
      data: { data_directory: config.dataDir, previous },
    }
  },
})

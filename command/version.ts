import packageJson from '../package.json' with { type: 'json' }
import { command } from './frame/command.ts'

export const version = command({
  name: 'version',
  group: 'Run',
  about: 'Shows the version of Sutler, of Node, and of the PostgreSQL that comes along.',
  examples: [['sutler version --json', 'for programs']],
  async run() {
    const { embeddedVersion } = await import('../server/platform/postgres/programs.ts')
    const data = {
      sutler: packageJson.version,
      node: process.versions.node,
      postgres: embeddedVersion() ?? null,
      platform: `${process.platform}-${process.arch}`,
    }
    const postgres = data.postgres ?? 'not installed: set DATABASE_URL'
    return {
      text: `Sutler ${data.sutler} (Node ${data.node}, PostgreSQL ${postgres}, ${data.platform})`,
      data,
    }
  },
})

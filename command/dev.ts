import { command } from './frame/command.ts'
import { beginAgain, heapFlags } from './heap-flags.ts'

export const dev = command({
  name: 'dev',
  group: 'Run',
  about: 'Starts the server of this clone, and restarts it when a file changes.',
  examples: [['npm run dev', 'the server on ./data, while you change its files']],
  async run() {
    beginAgain([...heapFlags, '--watch'], ['start', ...process.argv.slice(3)])
    throw new Error('this system cannot start a program in the place of another')
  },
})

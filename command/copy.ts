import type { RemoteCredentials } from '../tools/copying/remote.ts'
import { command, flag, text } from './frame/command.ts'
import { WrongCall } from './frame/wrong-call.ts'

export const copy = command({
  name: 'copy',
  group: 'Data',
  about: 'Copies a store from another server of this API, and compares both.',
  details:
    'It uses only public operations, with an application key on both sides. A secret may be @<file>, the name of a file\n' +
    'that has it. Run the same command again to continue, or to copy what has changed meanwhile.',
  options: {
    from: text('url', 'The server to copy from.'),
    'client-id': text('id', 'The key there.'),
    'client-secret': text('secret', 'The secret of that key.'),
    to: text('url', 'The Sutler to copy to. By default the one on this machine.'),
    'to-client-id': text('id', 'The key here. By default SUTLER_CLIENT_ID.'),
    'to-client-secret': text('secret', 'The secret of that key. By default SUTLER_CLIENT_SECRET.'),
    'per-second': text('n', 'How many requests the other server gets at most in a second. By default 10.'),
    state: text('file', 'What is remembered for the next run. By default copy.ndjson.'),
    follow: flag('Copies changes until Ctrl-C, and compares then.'),
    compare: flag('Only compares.'),
  },
  examples: [
    [
      'sutler copy --from https://api.example.com --client-id abc --client-secret @secret.txt \\\n' +
        '      --to-client-id def --to-client-secret @new-secret.txt',
      'into the server on this machine',
    ],
    ['sutler copy … --follow', 'until you move the clients'],
  ],
  leaves: 'what is copied stays. The same command goes on from there.',
  async run({ options, signal, say }) {
    if (options.compare && options.follow) throw new WrongCall('--compare and --follow exclude each other')
    const { resolve } = await import('node:path')
    const { readConfig } = await import('../server/config.ts')
    const { systemClock: clock } = await import('../server/kernel/clock.ts')
    const { isIn, isPublic } = await import('../server/platform/sockets/addresses.ts')
    const { CopyState } = await import('../tools/copying/copy-state.ts')
    const { oneLine } = await import('../tools/copying/read-answer.ts')
    const { Remote } = await import('../tools/copying/remote.ts')
    const { CopyReport } = await import('../tools/copying/report.ts')
    const { copyStore } = await import('../tools/copy-store.ts')
    const { openFileAccess } = await import('../tools/file-access.ts')
    const { serverAddress } = await import('./frame/server-address.ts')
    const config = readConfig()
    const perSecond = Number(options['per-second'] ?? 10)
    if (!(perSecond > 0)) throw new WrongCall('--per-second must be a number above 0')
    const [from, to] = [
      await credentialsOf('', options.from, options['client-id'], options['client-secret']),
      await credentialsOf(
        'to-',
        options.to ?? serverAddress(),
        options['to-client-id'] ?? config.clientId,
        options['to-client-secret'] ?? config.clientSecret,
      ),
    ]
    const state = new CopyState(resolve(options.state ?? 'copy.ndjson'), from.url, to.url)
    const files = openFileAccess((address) => isPublic(address) || isIn(config.webhookNetworks, address))
    // The first Ctrl-C ends the following, after which both servers are still compared.
    const until = options.follow ? undefined : signal
    try {
      const { lines, equal, differences } = await copyStore(
        {
          from: new Remote(from, clock, perSecond, files, until),
          // It is ours, and says itself how much it takes.
          to: new Remote(to, clock, 10_000, files, until),
          state,
          report: new CopyReport(),
          say: (line) => say(oneLine(line)),
        },
        options.compare ? 'compares' : options.follow ? 'follows' : 'copies',
        signal,
      )
      const data = { from: from.url, to: to.url, equal, differences, report: lines }
      return { text: lines.join('\n'), data, hasFailed: differences > 0 }
    } finally {
      state.close()
      files.close()
    }
  },
})

async function credentialsOf(
  prefix: '' | 'to-',
  url: string | undefined,
  id: string | undefined,
  secret: string | undefined,
): Promise<RemoteCredentials> {
  const address = prefix === '' ? '--from' : '--to'
  if (!url || !/^https?:\/\//.test(url)) {
    throw new WrongCall(`${address} must be the http or https URL of a server: see sutler copy --help`)
  }
  if (!id || !secret) {
    throw new WrongCall(
      `--${prefix}client-id and --${prefix}client-secret are missing: see sutler copy --help`,
    )
  }
  const { readFile } = await import('node:fs/promises')
  const clientSecret = secret.startsWith('@') ? (await readFile(secret.slice(1), 'utf8')).trim() : secret
  return { url: url.replace(/\/+$/, ''), clientId: id, clientSecret }
}

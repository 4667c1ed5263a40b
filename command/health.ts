import { command, text } from './frame/command.ts'
import { WrongCall } from './frame/wrong-call.ts'

const waitMs = 5000

export const health = command({
  name: 'health',
  group: 'Run',
  about: 'Asks the server of these settings whether it is ready.',
  details: 'It is ready when its database responds and takes writes. Containers and supervisors call this.',
  options: { url: text('url', 'The address of the server. By default this machine, with the port of PORT.') },
  examples: [
    ['sutler health', 'the server on this machine: exit code 0 if it is ready, 1 if not'],
    ['sutler health --url https://shop.example.com', 'a server elsewhere'],
  ],
  async run({ options, signal }) {
    const url = options.url ?? (await ownUrl())
    if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) {
      throw new WrongCall('--url must be an http or https URL, such as https://shop.example.com')
    }
    const answer = await ask(`${url.replace(/\/+$/, '')}/readyz`, signal)
    const isReady = answer === undefined
    return {
      text: isReady ? `${url} is ready` : `${url} is not ready: ${answer}`,
      data: { url, ready: isReady, ...(!isReady && { reason: answer }) },
      hasFailed: !isReady,
    }
  },
})

async function ownUrl(): Promise<string> {
  const { readConfig } = await import('../server/config.ts')
  const { port, host } = readConfig()
  if (port === 0) throw new WrongCall('PORT is 0, a free port that only the log shows: say it with --url')
  const isAny = host === '::' || host === '0.0.0.0'
  const name = isAny ? 'localhost' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}

/** Why the server is not ready; undefined if it is. */
async function ask(url: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    const within = AbortSignal.any([signal, AbortSignal.timeout(waitMs)])
    const response = await fetch(url, { signal: within, redirect: 'error' })
    if (response.ok) return undefined
    return `it answers ${response.status} ${(await response.text()).slice(0, 300)}`
  } catch (error) {
    const { message, cause } = error as Error
    return ((cause as Error | undefined)?.message || message).trim()
  }
}

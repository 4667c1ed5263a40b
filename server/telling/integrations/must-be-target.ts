import { Problem } from '../../kernel/errors.ts'
import { isSigningSecret } from '../targets/sign.ts'
import type { IntegrationType } from './kinds.ts'

const schemes = {
  webhook: ['https:', 'http:'],
  aws_sqs: ['https:', 'http:'],
  'aws-sqs': ['https:', 'http:'],
  stomp: ['stomp+ssl:', 'stomp:', 'ssl:', 'tcp:'],
} as const satisfies Record<IntegrationType, readonly string[]>

/** Refuses addresses that the server could not send anything to, and secrets that could not sign it. */
export function mustBeTarget(type: IntegrationType, configuration: Readonly<Record<string, unknown>>): void {
  const {
    url,
    addresses = [],
    signing_secret: secret,
  } = configuration as {
    url?: string
    addresses?: readonly string[]
    signing_secret?: string
  }
  if (url) mustBeAddress(type, url, 'data.configuration.url')
  addresses.forEach((address, i) => {
    mustBeAddress(type, address, `data.configuration.addresses.${i}`)
  })
  if (secret === undefined || isSigningSecret(secret)) return
  const source = 'data.configuration.signing_secret'
  throw new Problem('unprocessable', `${source} must be whsec_ followed by 24 to 64 bytes in base64.`, {
    source,
  })
}

function mustBeAddress(type: IntegrationType, address: string, source: string): void {
  const accepted: readonly string[] = schemes[type]
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (!url?.hostname || !accepted.includes(url.protocol)) {
    const beginnings = accepted.map((one) => `${one}//`).join(' or ')
    throw new Problem('unprocessable', `${source} must be an absolute URL that begins with ${beginnings}.`, {
      source,
    })
  }
  if (!url.username && !url.password) return
  const detail = `${source} must have no user and no password, which responses would show. Use the settings for them.`
  throw new Problem('unprocessable', detail, { source })
}

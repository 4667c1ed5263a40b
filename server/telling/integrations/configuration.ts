import { randomBytes } from 'node:crypto'
import type { Keys } from '../../kernel/auth/keys.ts'
import { seal, tryOpen } from '../../kernel/auth/seal.ts'
import { Problem } from '../../kernel/errors.ts'
import { choice, list, text } from '../../kernel/shape/fields.ts'
import { isSigningSecret } from '../targets/webhook.ts'
import { type IntegrationType, kindOf } from './kinds.ts'

const textMax = 2048
/** What a header can have. */
const forHeader = /^[\x20-\x7e]*$/

/** Null removes a setting, so an update can do so. */
const setting = (about: string, example: string, pattern?: RegExp) =>
  text({ nullable: true, max: textMax, about, example, ...(pattern && { pattern }) })

export const settingFields = {
  url: setting(
    'Where events are sent: the address of a webhook (https or http), the address of a queue, or that of a broker.',
    'https://shop.example.com/hooks/orders',
  ),
  secret_key: setting(
    'Webhooks: sent as the header `X-MOLTIN-SECRET-KEY`, and in the body as `configuration.secret_key`.',
    'a long random secret',
    forHeader,
  ),
  signing: choice(['none', 'standard'], {
    nullable: true,
    about:
      'Webhooks: `standard` signs each request as Standard Webhooks describes it (`webhook-id`, `webhook-timestamp`, ' +
      '`webhook-signature`). Default: none.',
    example: 'standard',
  }),
  signing_secret: setting(
    'Webhooks: the secret of `standard` signatures. The server makes one where the request has none; null makes a new one.',
    'whsec_c2l4IGFuZCB0d2VudHkgYnl0ZXMgb2Yga2V5',
    /^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/,
  ),
  aws_access_key_id: setting('SQS: the id of the access key. Responses show its end.', 'AKIAEXAMPLE4NORTH'),
  aws_secret_access_key: setting(
    'SQS: the secret of the access key. Responses show its end.',
    'a long secret',
  ),
  region: setting('SQS: the region of the queue.', 'eu-west-1', /^[a-z0-9-]{1,64}$/),
  addresses: list(text({ min: 1, max: textMax }), {
    nullable: true,
    maxItems: 10,
    about: 'STOMP: the addresses of the broker, tried in this order.',
    example: ['stomp+ssl://broker.example.com:61614'],
  }),
  destination: setting('STOMP: the queue or topic.', '/queue/orders', /^[^\r\n]*$/),
  username: setting('STOMP: the user.', 'sutler'),
  password: setting('STOMP: the password. Responses show its end.', 'a long secret'),
}

/** The settings of an integration with their secrets, as its target needs them. Never shown as it is. */
export type Configuration = {
  readonly [K in Exclude<keyof typeof settingFields, 'addresses' | 'signing'>]?: string
} & { readonly addresses?: readonly string[]; readonly signing?: 'none' | 'standard' }

/** What a request changes; null removes a setting. */
type ConfigurationChanges = Readonly<Record<string, unknown>>

/** The settings that are stored as they are, and the sealed others. */
interface StoredConfiguration {
  readonly open_settings?: Configuration | undefined
  readonly sealed_secrets?: string | undefined
}

/** The whole configuration. Without the secrets if they were sealed with a secret that the server no longer has. */
export function openConfiguration(keys: Keys, stored: StoredConfiguration): Configuration {
  const sealed = stored.sealed_secrets === undefined ? undefined : tryOpen(keys, stored.sealed_secrets)
  return { ...stored.open_settings, ...(sealed !== undefined && (JSON.parse(sealed) as Configuration)) }
}

/** What responses show of it. */
export function shownConfiguration(type: IntegrationType, configuration: Configuration): Configuration {
  const { masked } = kindOf(type)
  const shown = Object.entries(configuration).map(([name, value]) => [
    name,
    masked.includes(name) ? mask(String(value)) : value,
  ])
  return Object.fromEntries(shown) as Configuration
}

/** The settings whose values are addresses. */
const addressNames = ['url', 'addresses']

/**
 * What events show of it. An address often has a token behind its host, and who observes an event need not be who may
 * read the integration.
 */
export function observedConfiguration(type: IntegrationType, configuration: Configuration): Configuration {
  const shown = Object.entries(shownConfiguration(type, configuration)).map(([name, value]) => [
    name,
    addressNames.includes(name) ? hostsOf(value) : value,
  ])
  return Object.fromEntries(shown) as Configuration
}

const hostsOf = (value: string | readonly string[]): string | readonly string[] =>
  typeof value === 'string' ? hostOf(value) : value.map(hostOf)

function hostOf(address: string): string {
  const [host = ''] = /^[^/]*\/\/[^/?#]*/.exec(address) ?? []
  return /^\/?$/.test(address.slice(host.length)) ? address : `${host}/***`
}

const shownChars = 4

/** A short secret is hidden as a whole: its end would be most of it. */
const mask = (secret: string): string =>
  secret.length < 3 * shownChars
    ? '*'.repeat(secret.length)
    : '*'.repeat(secret.length - shownChars) + secret.slice(-shownChars)

/** The configuration after a request, in the form in which it is stored. */
export function changeConfiguration(
  keys: Keys,
  type: IntegrationType,
  before: Configuration,
  changes: ConfigurationChanges,
): Required<StoredConfiguration> {
  const kind = kindOf(type)
  const merged: Record<string, unknown> = { ...before }
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || !kind.settings.includes(name)) continue
    // Clients send back what a response has shown them.
    const isMask = kind.masked.includes(name) && value === mask(String(merged[name] ?? ''))
    if (value === null) delete merged[name]
    else if (!isMask) merged[name] = value
  }
  mustBeComplete(type, merged)
  mustBeTarget(type, merged)
  if (merged.signing === 'standard') merged.signing_secret ??= newSigningSecret()
  const [open, secret]: [Record<string, unknown>, Record<string, unknown>] = [{}, {}]
  for (const [name, value] of Object.entries(merged))
    (kind.secrets.includes(name) ? secret : open)[name] = value
  return {
    open_settings: open,
    sealed_secrets: Object.keys(secret).length ? seal(keys, JSON.stringify(secret)) : undefined,
  }
}

function mustBeComplete(type: IntegrationType, configuration: Readonly<Record<string, unknown>>): void {
  const missing = kindOf(type).required.find((names) => names.every((name) => isEmpty(configuration[name])))
  if (!missing) return
  const words = missing.map((name) => `data.configuration.${name}`).join(' or ')
  throw new Problem('unprocessable', `${words} is required: data.integration_type is ${type}.`, {
    source: `data.configuration.${missing[0]}`,
  })
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === '' || (Array.isArray(value) && value.length === 0)

/** As Standard Webhooks wants it: 24 to 64 random bytes in base64 behind a prefix. */
const newSigningSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`

const schemes = {
  webhook: ['https:', 'http:'],
  aws_sqs: ['https:', 'http:'],
  'aws-sqs': ['https:', 'http:'],
  stomp: ['stomp+ssl:', 'stomp:', 'ssl:', 'tcp:'],
} as const satisfies Record<IntegrationType, readonly string[]>

/** Refuses addresses that the server could not send anything to, and secrets that could not sign it. */
function mustBeTarget(type: IntegrationType, configuration: Readonly<Record<string, unknown>>): void {
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

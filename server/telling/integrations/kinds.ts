/** What an integration of one kind needs to know about its target. */
interface IntegrationKind {
  /** The settings that it uses, by the names of their fields. */
  readonly settings: readonly string[]
  /** The settings that are sealed. */
  readonly secrets: readonly string[]
  /** The secrets that responses show only in part. */
  readonly masked: readonly string[]
  /** The settings without which nothing can be sent. Of those in one list, one is enough. */
  readonly required: readonly (readonly string[])[]
}

const queue: IntegrationKind = {
  settings: ['url', 'aws_access_key_id', 'aws_secret_access_key', 'region'],
  secrets: ['aws_access_key_id', 'aws_secret_access_key'],
  masked: ['aws_access_key_id', 'aws_secret_access_key'],
  required: [['url'], ['aws_access_key_id'], ['aws_secret_access_key'], ['region']],
}

const kinds = {
  webhook: {
    settings: ['url', 'secret_key', 'signing', 'signing_secret'],
    secrets: ['secret_key', 'signing_secret'],
    masked: [],
    required: [['url']],
  },
  aws_sqs: queue,
  // As one part of the public contract spells it.
  'aws-sqs': queue,
  stomp: {
    settings: ['url', 'addresses', 'destination', 'username', 'password'],
    secrets: ['password'],
    masked: ['password'],
    // The public contract requires `url`, and describes `addresses` in its place.
    required: [['addresses', 'url'], ['destination']],
  },
} as const satisfies Record<string, IntegrationKind>

export type IntegrationType = keyof typeof kinds

export const integrationTypes = Object.keys(kinds) as readonly IntegrationType[]

export const kindOf = (type: IntegrationType): IntegrationKind => kinds[type]

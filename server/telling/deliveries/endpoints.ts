import { columns, json } from '../../kernel/storage/columns.ts'
import type { Work } from '../../kernel/work/context.ts'
import { type Configuration, openConfiguration } from '../integrations/configuration.ts'
import type { MessageTarget, TargetMessage } from '../targets/message.ts'

/** An integration, as its messages need it. */
export interface Endpoint {
  readonly integration: TargetMessage['integration']
  readonly target: MessageTarget
  readonly organisationId: string
}

/** The target in the settings of an integration. */
function targetOf(type: string, settings: Configuration): MessageTarget {
  const { url = '' } = settings
  if (type === 'webhook') {
    const { secret_key, signing, signing_secret } = settings
    return { type, url, secret_key, ...(signing === 'standard' && { signing_secret }) }
  }
  if (type === 'stomp') {
    const { addresses = [], destination = '', username, password } = settings
    return { type, addresses: addresses.length ? addresses : [url], destination, username, password }
  }
  const { aws_access_key_id = '', aws_secret_access_key = '', region = '' } = settings
  return { type: 'aws_sqs', url, aws_access_key_id, aws_secret_access_key, region }
}

const stored = columns({
  id: 'i.id',
  doc: ['i.doc', json<TargetMessage['integration']>],
  hidden: ["coalesce(i.hidden, '{}')", json<Parameters<typeof openConfiguration>[1]>],
  organisationId: 's.organisation_id',
})

/** Those of these integrations of a store that are enabled, or all of them, by their ids. */
export async function findEndpoints(
  { store, instance }: Work,
  ids: readonly string[],
  which: 'enabled' | 'all' = 'enabled',
): Promise<ReadonlyMap<string, Endpoint>> {
  const rows = await store.run(
    `SELECT ${stored.sql} FROM integrations i JOIN stores s ON s.id = i.store_id
     WHERE i.store_id = $1 AND i.id = ANY($2::uuid[]) AND (i.enabled OR $3)`,
    ids,
    which === 'all',
  )
  return new Map(
    rows.map(stored.read).map(({ id, doc, hidden, organisationId }) => {
      const { integration_type, name, description = '' } = doc
      const target = targetOf(integration_type, openConfiguration(instance.sealKeys, hidden))
      return [id, { integration: { id, integration_type, name, description }, target, organisationId }]
    }),
  )
}

/** What says who sends a message, and to whom. */
export const aboutEndpoint = (
  { store, instance, clock }: Work,
  { integration, organisationId }: Endpoint,
): Pick<TargetMessage, 'at' | 'integration' | 'organisationId' | 'source' | 'storeId'> => ({
  ...{ at: clock.now(), integration, organisationId, storeId: store.id },
  source: instance.baseUrl ?? `urn:uuid:${store.id}`,
})

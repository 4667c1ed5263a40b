import { action } from '../../kernel/declare/action.ts'
import { resource } from '../../kernel/declare/resource.ts'
import { Problem } from '../../kernel/errors.ts'
import { objectAnswer, withData } from '../../kernel/http/object-answer.ts'
import { objectOf } from '../../kernel/openapi/named-schemas.ts'
import { integer, text } from '../../kernel/shape/fields.ts'
import type { Draft } from '../../kernel/shape/model.ts'
import { about, shown } from '../../kernel/shape/shown.ts'
import type { Work } from '../../kernel/work/context.ts'
import { add } from '../../kernel/write/by-rules.ts'
import { forgetClientId, keepClientId } from './client-ids.ts'
import { hashOf, newCredential } from './key-secret.ts'

/** A client id and a secret that a client exchanges for tokens. Only the response to the create shows the secret. */
export const applicationKeys = resource({
  type: 'application_key',
  noun: ['application-key', 'application-keys'],
  about: 'A client id and secret that clients exchange for access tokens.',
  path: '/v2/application-keys',
  table: 'application_keys',
  fields: {
    name: text({ required: true, min: 1, max: 255, about: 'The purpose of the key.', example: 'Storefront' }),
    reserved_rate_limit: integer({
      default: 0,
      min: 0,
      about: 'The number of requests per second that are reserved for this key.',
      example: 10,
    }),
    client_id: text({ readOnly: true, max: 255, about: 'The public part of the key.' }),
    secret_hash: text({ hidden: true, readOnly: true }),
    last_used_at: text({ hidden: true, readOnly: true, nullable: true }),
  },
  area: 'application-keys',
  // The contract prints microseconds.
  envelope: { times: 'meta.timestamps', digits: 6, fields: 'top', links: 'inside', href: { after: '' } },
  // The create is an action because its response shows the secret.
  operations: ['list', 'get', 'update', 'delete'],
  async beforeWrite(work, draft) {
    await refuseOverbooking(work, draft)
    await keepHiddenValues(work, draft)
  },
  async afterWrite({ store }, { doc: { client_id } }, before) {
    if (!before) await keepClientId(store, String(client_id))
  },
  async afterDelete({ store, instance }, { id, doc: { client_id } }) {
    await forgetClientId(store, String(client_id))
    instance.tokens.revoke(id)
  },
  meta: {
    fields: {
      last_used_at: text({
        format: 'date-time',
        nullable: true,
        about: 'When a token was last issued for this key; null if none was.',
      }),
    },
    of: ({ hidden }) => ({ last_used_at: hidden.last_used_at ?? null }),
  },
  listMeta: {
    fields: {
      total_reserved_rate_limit: integer({
        min: 0,
        about: 'The requests per second that all keys of the store have reserved.',
      }),
    },
    of: async ({ store }) => {
      const [row] = await store.run(
        'SELECT coalesce(sum(reserved_rate_limit), 0) FROM application_keys WHERE store_id = $1',
      )
      return { total_reserved_rate_limit: Number(row?.[0]) }
    },
  },
})

/** A token request writes hidden values without a new version, so the draft may have old ones: read them again. */
async function keepHiddenValues(work: Work, { id, values }: Draft): Promise<void> {
  await work.store.lock(applicationKeys, id)
  const key = await work.store.findWhole(applicationKeys, id)
  Object.assign(values, key?.hidden)
}

const secretShown = shown.group({ client_secret: about('Shown only in this response.', shown.text) })

/** Creates a key. Only this response shows its secret: the server stores a hash. */
export const createApplicationKey = action({
  name: 'create-application-key',
  route: 'POST /v2/application-keys',
  about: 'Creates an application key. Only this response has the secret.',
  area: 'application-keys',
  status: 201,
  shows: {
    data: shown.as({ allOf: [objectOf(() => applicationKeys).schema, secretShown.schema] }),
    etag: true,
  },
  body: { type: 'application_key', fields: applicationKeys.fields },

  async run(ctx, { body }) {
    const secret = newCredential()
    const values = { ...body, client_id: newCredential(), secret_hash: hashOf(secret) }
    const key = await add(ctx, applicationKeys, [], values)
    return withData(objectAnswer(201, applicationKeys, key, ctx), { client_secret: secret })
  },
})

/** Requests per second that all keys of a store can reserve together: the rate limit of a production store. */
const reservedMax = 100

/** Refuses a key that would reserve more than the store has left. Runs in the transaction of the write. */
async function refuseOverbooking(work: Work, { id, values }: Draft): Promise<void> {
  // Concurrent writes of two keys are checked one after the other.
  await work.store.advisoryLock('reserved-rate-limit')
  const [row] = await work.store.run(
    'SELECT coalesce(sum(reserved_rate_limit), 0) FROM application_keys WHERE store_id = $1 AND id <> $2',
    id,
  )
  if (Number(row?.[0]) + Number(values.reserved_rate_limit) > reservedMax) {
    throw new Problem('conflict', `requested reserved rate limit will exceed the maximum of ${reservedMax}`, {
      source: 'data.reserved_rate_limit',
    })
  }
}

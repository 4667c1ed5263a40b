import { action } from '../../kernel/declare/action.ts'
import { objectAnswer, withData } from '../../kernel/http/object-answer.ts'
import { objectOf } from '../../kernel/openapi/named-schemas.ts'
import { add } from '../../kernel/write/by-rules.ts'
import { applicationKeys } from './application-keys.ts'
import { hashOf, newCredential } from './key-secret.ts'

const secretShown = {
  type: 'object',
  required: ['client_secret'],
  properties: { client_secret: { type: 'string', description: 'Shown only in this response.' } },
}

/** Creates a key. Only this response shows its secret: the server stores a hash. */
export const createApplicationKey = action({
  name: 'create-application-key',
  route: 'POST /v2/application-keys',
  about: 'Creates an application key. Only this response has the secret.',
  area: 'application-keys',
  status: 201,
  shows: { data: { allOf: [objectOf(() => applicationKeys), secretShown] }, etag: true },
  body: { type: 'application_key', fields: applicationKeys.fields },

  async run(ctx, { body }) {
    const secret = newCredential()
    const values = { ...body, client_id: newCredential(), secret_hash: hashOf(secret) }
    const key = await add(ctx, applicationKeys, [], values)
    return withData(objectAnswer(201, applicationKeys, key, ctx), { client_secret: secret })
  },
})

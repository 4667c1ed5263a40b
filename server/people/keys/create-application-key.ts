import { action } from '../../kernel/declare/action.ts'
import { objectAnswer, withData } from '../../kernel/http/object-answer.ts'
import { objectOf } from '../../kernel/openapi/named-schemas.ts'
import { about, shown } from '../../kernel/shape/shown.ts'
import { add } from '../../kernel/write/by-rules.ts'
import { applicationKeys } from './application-keys.ts'
import { hashOf, newCredential } from './key-secret.ts'

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

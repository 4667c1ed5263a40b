import packageJson from '../package.json' with { type: 'json' }
import { app, shopperTokens } from './app.ts'
import { type ApiDocument, apiDocument } from './kernel/openapi.ts'
import { access } from './permissions/access.ts'

const description = `Get an access token with an application key, then send it with every request:

    curl $SERVER/oauth/access_token -d grant_type=client_credentials \\
      -d client_id=$CLIENT_ID -d client_secret=$CLIENT_SECRET
    curl $SERVER/v2/accounts -H "Authorization: Bearer $TOKEN"

Bodies are JSON in the envelope \`{"data": {"type": …, …}}\`, and answers too. A refusal is
\`{"errors": [{"title", "status", "detail", "code", "source"}]}\`.`

/** The API document of the whole server. */
export const sutlerApi = (): ApiDocument =>
  apiDocument(app, {
    title: 'Sutler',
    version: packageJson.version,
    description,
    access,
    shopperTokens,
  })

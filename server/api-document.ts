import packageJson from '../package.json' with { type: 'json' }
import { groups } from './api-groups.ts'
import { app, shopperTokens } from './app.ts'
import type { AccessTable } from './kernel/auth/access.ts'
import type { Module } from './kernel/module.ts'
import { apiDocument } from './kernel/openapi/document.ts'
import type { ApiDocument } from './kernel/shape/api-document.ts'
import type { OwnModel } from './kernel/shape/model.ts'
import { access as appAccess } from './people/index.ts'

const description = `Get an access token with an application key, then send it with every request:

    curl $SERVER/oauth/access_token -d grant_type=client_credentials \\
      -d client_id=$CLIENT_ID -d client_secret=$CLIENT_SECRET
    curl $SERVER/v2/accounts -H "Authorization: Bearer $TOKEN"

Request and response bodies are JSON in the envelope \`{"data": {"type": …, …}}\`. An error response is
\`{"errors": [{"title", "status", "detail", "code", "source"}]}\`.`

const about = {
  title: 'Sutler',
  version: packageJson.version,
  description,
  groups,
  tokenPath: '/oauth/access_token',
  shopperTokens,
}

/** The API document of the whole server, or of one with other modules. */
export const sutlerApi = (
  modules: readonly Module[] = app,
  access: AccessTable = appAccess,
  own?: OwnModel,
): ApiDocument => apiDocument(modules, { ...about, access }, own)

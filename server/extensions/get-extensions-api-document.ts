import { action } from '../kernel/declare/action.ts'
import { json } from '../kernel/http/answer.ts'
import { openApiDocument } from '../kernel/openapi/shapes.ts'
import { apiDocumentOf } from './api-document-of.ts'
import { allDefinitions } from './definition.ts'

/** The OpenAPI document of the store's own custom APIs, as they are defined now. */
export const getExtensionsApiDocument = action({
  name: 'get-extensions-api-document',
  route: 'GET /v2/settings/extensions/specifications/openapi',
  about: "Reads an OpenAPI document of the store's custom APIs.",
  area: 'custom-apis',
  status: 200,
  shows: { body: openApiDocument },

  async run(ctx) {
    return json(200, apiDocumentOf(await allDefinitions(ctx), ctx.baseUrl))
  },
})

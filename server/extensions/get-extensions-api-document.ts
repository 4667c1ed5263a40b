import { action } from '../kernel/declare/action.ts'
import { openApiDocument } from '../kernel/openapi/shapes.ts'
import { json } from '../kernel/shape/answer.ts'
import { findAllDefinitions } from './definition.ts'
import { describeCustomApis } from './describe-custom-apis.ts'

/** The OpenAPI document of the store's custom APIs. */
export const getExtensionsApiDocument = action({
  name: 'get-extensions-api-document',
  route: 'GET /v2/settings/extensions/specifications/openapi',
  about: "Reads an OpenAPI document of the store's custom APIs.",
  area: 'custom-apis',
  status: 200,
  shows: { body: openApiDocument },

  async run(ctx) {
    return json(200, describeCustomApis(await findAllDefinitions(ctx), ctx.baseUrl))
  },
})

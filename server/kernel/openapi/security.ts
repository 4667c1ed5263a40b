import type { ShopperToken } from '../work/context.ts'

type SecondToken = Pick<ShopperToken, 'header' | 'kind'>

/**
 * The ways to call an operation: with a token that the client has, with one that it gets for its key, or with a second
 * token of one of these persons.
 */
export const waysToSignIn = (persons: readonly SecondToken[]): readonly object[] => [
  { bearer: [] },
  { applicationKey: [] },
  ...persons.map(({ kind }) => ({ bearer: [], [kind]: [] })),
]

export const securitySchemes = (shopperTokens: readonly SecondToken[], tokenPath: string) => ({
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: `An access token from \`POST ${tokenPath}\`.`,
  },
  applicationKey: {
    type: 'oauth2',
    description: 'Gets an access token for the id and the secret of an application key.',
    flows: {
      clientCredentials: {
        tokenUrl: tokenPath,
        scopes: {},
        // The page that shows this document sends them in the header otherwise.
        'x-scalar-credentials-location': 'body',
      },
    },
  },
  ...Object.fromEntries(
    shopperTokens.map(({ kind, header }) => [
      kind,
      {
        type: 'apiKey',
        in: 'header',
        name: header,
        description: 'A second token, beside the access token, that identifies the shopper.',
      },
    ]),
  ),
})

/** An OpenAPI 3.1 document without servers: the process that serves it knows the address. */
export interface ApiDocument {
  readonly openapi: string
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly tags: readonly { readonly name: string }[]
  readonly security: readonly object[]
  readonly paths: Readonly<Record<string, Record<string, unknown>>>
  readonly components: Readonly<Record<string, unknown>>
}

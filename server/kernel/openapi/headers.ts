const text = { type: 'string' }

/** The headers of answers that mean something to a client of the API; what every client of HTTP knows has none. */
export const headers = {
  ETag: { description: 'Names this version of the object.', schema: text },
  Link: { description: 'The neighbouring pages (RFC 8288).', schema: text },
  Location: { description: 'Where the client goes on.', schema: { type: 'string', format: 'uri' } },
  'X-Request-Id': {
    description: 'Names this request. An operator finds its errors in the log by it.',
    schema: { type: 'string', format: 'uuid' },
  },
  'Idempotency-Replayed': {
    description:
      '`true` where this is the stored answer to an earlier request with the same Idempotency-Key.',
    schema: { type: 'string', const: 'true' },
  },
  Allow: { description: 'The methods that are allowed (RFC 9110).', schema: text },
  'WWW-Authenticate': { description: 'How to authenticate (RFC 6750).', schema: text },
  'Retry-After': {
    description: 'Seconds to wait before the next try.',
    schema: { type: 'integer', minimum: 0 },
  },
  'Content-Range': { description: 'Which bytes these are, or how many there are (RFC 9110).', schema: text },
} as const

/** References to headers, by their names. */
export const headersNamed = (...names: readonly (keyof typeof headers)[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

const text = { type: 'string' }

/** The response headers that have a meaning in this API. Usual HTTP headers are not described. */
export const headers = {
  ETag: { description: 'Identifies this version of the object.', schema: text },
  Link: { description: 'Links to the neighbouring pages (RFC 8288).', schema: text },
  'Sutler-Watermark': {
    description:
      'A time. Objects that this list does not show yet will be created, or updated, at this time or later. Use that ' +
      'of the first page in the next `filter=ge(updated_at,…)`.',
    schema: { type: 'string', format: 'date-time' },
  },
  Location: {
    description: 'The address that the client is redirected to.',
    schema: { type: 'string', format: 'uri' },
  },
  'Sutler-Total-Count': {
    description: 'In a response with lines: the number of objects that a complete response has.',
    schema: { type: 'integer', minimum: 0 },
  },
  'Sutler-Feed-Position': {
    description:
      'In a response with lines: the position of the change feed from which a reader goes on. Every change up to it is in the response.',
    schema: { type: 'integer', minimum: 0 },
  },
  'X-Request-Id': {
    description: 'Identifies this request; its errors have the same id in the log.',
    schema: { type: 'string', format: 'uuid' },
  },
  'Idempotency-Replayed': {
    description: '`true` if this is the stored response to an earlier request with the same Idempotency-Key.',
    schema: { type: 'string', const: 'true' },
  },
  'Preference-Applied': {
    description: '`dry-run` if nothing has changed because the request asked for that (RFC 7240).',
    schema: { type: 'string', const: 'dry-run' },
  },
  'Set-Cookie': { description: 'A cookie of the sign-in, for this address only.', schema: text },
  Upgrade: { description: 'The version of HTTP that the response needs (RFC 9110).', schema: text },
  Allow: { description: 'The methods that are allowed (RFC 9110).', schema: text },
  'Accept-Encoding': { description: 'The codings of bodies that the server reads.', schema: text },
  'WWW-Authenticate': { description: 'How to authenticate (RFC 6750, RFC 7617).', schema: text },
  'Retry-After': {
    description: 'The number of seconds to wait before the next attempt.',
    schema: { type: 'integer', minimum: 0 },
  },
  'Content-Range': {
    description: 'The range of bytes in this response, or the length of the whole file (RFC 9110).',
    schema: text,
  },
} as const

/** References to headers, by their names. */
export const headersNamed = (...names: readonly (keyof typeof headers)[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

import { text } from '../shape/fields.ts'

/** The headers of a request. */
export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>

/** Whether the request has a preference (RFC 7240): `Prefer: explain, dry-run`. */
export const prefers = (headers: RequestHeaders, preference: string): boolean =>
  String(headers.prefer ?? '')
    .split(',')
    .some((one) => one.trim().toLowerCase() === preference)

/** For the API document. */
export const dryRunHeader = {
  Prefer: text({
    about:
      '`dry-run` asks what the request would do: the response is the one of the real request, and nothing changes. It has `Preference-Applied: dry-run`.',
  }),
}

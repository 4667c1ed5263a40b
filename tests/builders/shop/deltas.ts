import { gunzipSync } from 'node:zlib'
import { expect } from 'vitest'
import type { Any } from '../../support/requests.ts'

/** The lines of a release's delta. */
export const deltaOf = async ({ relationships }: Any): Promise<Any[]> => {
  const answer = await fetch(relationships.delta.links.related)
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/gzip'])
  const text = gunzipSync(Buffer.from(await answer.arrayBuffer())).toString()
  return text.split('\n').flatMap((line) => (line ? [JSON.parse(line)] : []))
}
